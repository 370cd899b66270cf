package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.HandleCalls;
import org.warpnfs.fs.local.libc.KernelHandle;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Handles that the kernel makes and opens. A handle is valid as long as the file exists. Layout, big endian:
 *
 * <pre>
 * offset  length  field
 *   0       1     kind, {@value #KIND}
 *   1       8     tree, so that a handle of one export is not valid in another
 *   9       1     handle_type
 *  10       1     handle_bytes
 *  11       .     f_handle
 * </pre>
 *
 * <p>By its handle the kernel opens any file of the file system that the tree is on. A client stays within the tree
 * because it gets handles of nothing else, and the server's handles cannot be forged. A directory that a user of the
 * host moves out of the tree remains accessible to clients that have its handle.
 */
final class KernelHandles implements Handles {
    private static final byte KIND = 1;
    private static final int HEADER_BYTES = 11;
    private static final int MAX_TYPE = 0xff;

    private final long treeId;
    private final Superblock superblock;
    private final Fd rootFd;
    private final FileHandle root;

    KernelHandles(long treeId, Superblock superblock, Fd rootFd) throws FsException {
        this.treeId = treeId;
        this.superblock = superblock;
        this.rootFd = rootFd;
        this.root = make(rootFd);
    }

    @Override
    public FileHandle root() {
        return root;
    }

    /** Identifies the file by its superblock and the kernel's part of the handle. */
    @Override
    public FileIdentity identity(FileHandle handle) {
        return superblock.identity(handle, KIND, treeId);
    }

    @Override
    public Fd open(FileHandle handle) throws FsException {
        ByteBuffer in = ByteBuffer.wrap(handle.toBytes());
        if (in.remaining() < HEADER_BYTES || in.get() != KIND) {
            throw FsException.of(FsError.BAD_HANDLE);
        }
        long tree = in.getLong();
        int type = in.get() & 0xff;
        byte[] bytes = new byte[in.get() & 0xff];
        if (in.remaining() != bytes.length) {
            throw FsException.of(FsError.BAD_HANDLE);
        }
        if (tree != treeId) {
            throw FsException.of(FsError.STALE);
        }
        in.get(bytes);
        try {
            return HandleCalls.open(rootFd, new KernelHandle(type, bytes), OpenCalls.O_PATH | OpenCalls.O_NOFOLLOW);
        } catch (ErrnoException e) {
            if (e.errno() == Errno.EINVAL) {
                throw FsException.of(FsError.BAD_HANDLE);
            }
            throw Failure.of(e);
        }
    }

    @Override
    public FileHandle of(Fd file, Statx statx, FileHandle directory, FileName name) throws FsException {
        return make(file);
    }

    @Override
    public @Nullable FileHandle ofName(Fd directory, byte[] name, long mountId) throws FsException {
        try {
            KernelHandle handle = HandleCalls.handleOf(directory, name, mountId);
            return handle == null ? null : make(handle);
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    @Override
    public FileHandle ofParent(Fd directory, Statx statx) throws FsException {
        return make(directory);
    }

    @Override
    public void aboutToGo(FileHandle file) {}

    @Override
    public void removed(FileHandle file, FileHandle directory, FileName name, boolean isGone) {}

    @Override
    public void move(Move move) throws FsException {
        move.run();
    }

    private FileHandle make(Fd file) throws FsException {
        try {
            return make(HandleCalls.handleOf(file));
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    private FileHandle make(KernelHandle handle) throws FsException {
        byte[] bytes = handle.bytes();
        if (bytes.length > FileHandle.MAX_LENGTH_BYTES - HEADER_BYTES
                || handle.type() < 0
                || handle.type() > MAX_TYPE) {
            throw FsException.of(
                    FsError.NOT_SUPPORTED, "kernel handle of type " + handle.type() + ", " + bytes.length + " bytes");
        }
        return FileHandle.of(ByteBuffer.allocate(HEADER_BYTES + bytes.length)
                .put(KIND)
                .putLong(treeId)
                .put((byte) handle.type())
                .put((byte) bytes.length)
                .put(bytes)
                .array());
    }

    /**
     * Tests whether this process may open files by handle on this file system. Newer kernels let the root of a user
     * namespace open directories alone, so there the test opens a file as well.
     */
    static boolean work(Fd rootFd) throws IOException {
        try {
            KernelHandle root = HandleCalls.handleOf(rootFd);
            HandleCalls.open(rootFd, root, OpenCalls.O_PATH).close();
            return root.bytes().length <= FileHandle.MAX_LENGTH_BYTES - HEADER_BYTES
                    && (IdMap.ofUsers().isWhole() || opensFiles(rootFd));
        } catch (ErrnoException e) {
            return false;
        }
    }

    private static boolean opensFiles(Fd rootFd) throws ErrnoException {
        try (Fd file = OpenCalls.openNameless(rootFd, 0)) {
            HandleCalls.open(rootFd, HandleCalls.handleOf(file), OpenCalls.O_PATH)
                    .close();
            return true;
        }
    }

    @Override
    public void close() {}
}
