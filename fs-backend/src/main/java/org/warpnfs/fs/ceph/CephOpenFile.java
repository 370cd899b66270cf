package org.warpnfs.fs.ceph;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.ceph.libcephfs.DataCalls;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * An open file of {@link CephFileSystem}.
 *
 * <h2>Operation</h2>
 *
 * It is opened again by itself when the file system was mounted again. A file without a name is gone then.
 *
 * <h2>Buffers</h2>
 *
 * The library reads into direct buffers and writes from them, without a copy of ours. Others are copied in pieces.
 */
final class CephOpenFile implements OpenFile {
    private static final int COPY_BYTES = 1 << 20;
    /** No file of Ceph is as long. */
    private static final long FAR = 1L << 60;

    private final Nodes nodes;
    private final Mounts mounts;
    private final OpenFiles openFiles;
    private final Contents contents;
    private final FileHandle handle;
    private final Caller caller;
    private final OpenAccess access;

    private volatile @Nullable Opened opened;
    private boolean closed;

    /** Opens a file; whether the caller may is judged already. */
    CephOpenFile(Nodes nodes, Mounts mounts, OpenFiles openFiles, FileHandle handle, Caller caller, OpenAccess access)
            throws FsException {
        this.nodes = nodes;
        this.mounts = mounts;
        this.openFiles = openFiles;
        this.handle = handle;
        this.caller = caller;
        this.access = access;
        this.contents = openFiles.opened(handle);
        boolean done = false;
        try {
            open();
            done = true;
        } finally {
            if (!done) {
                openFiles.closed(handle, contents);
            }
        }
        openFiles.add(this);
    }

    private synchronized void open() throws FsException {
        if (closed) {
            throw FsException.of(FsError.IO, "the file was closed");
        }
        Opened before = opened;
        if (before != null) {
            if (mounts.isCurrent(before.mounted())) {
                return;
            }
            opened = null;
            before.leave();
        }
        int flags =
                switch (access) {
                    case READ -> DataCalls.O_RDONLY;
                    case WRITE -> DataCalls.O_WRONLY;
                    case READ_WRITE -> DataCalls.O_RDWR;
                };
        opened = nodes.inMount(handle, mounted -> Opened.of(nodes, mounted, handle, caller, flags));
    }

    @FunctionalInterface
    private interface Call<T> {
        T with(Opened opened) throws CephException, FsException;
    }

    private <T> T call(Call<T> call) throws FsException {
        Opened now = enter();
        CallWaits.Call underWay = null;
        try {
            underWay = now.mounted().begin(handle);
            return call.with(now);
        } catch (CephException e) {
            throw mounts.failure(now.mounted(), e);
        } finally {
            if (underWay != null) {
                now.mounted().waits().end(underWay);
            }
            now.leave();
        }
    }

    private Opened enter() throws FsException {
        while (true) {
            Opened now = opened;
            if (now != null && mounts.isCurrent(now.mounted()) && now.enter()) {
                return now;
            }
            open();
        }
    }

    @Override
    public FileHandle handle() {
        return handle;
    }

    @Override
    public FileAttributes attributes() throws FsException {
        return attributes(FileAttribute.ALL);
    }

    @Override
    public FileAttributes attributes(Set<FileAttribute> wanted) throws FsException {
        return call(now -> now.node().attributes(Attributes.mask(wanted)));
    }

    @Override
    public int read(ByteBuffer sink, long offset) throws FsException {
        if (!access.reads()) {
            throw FsException.of(FsError.ACCESS);
        }
        if (!sink.hasRemaining() || offset >= FAR) {
            return 0;
        }
        return call(now -> sink.isDirect() ? readDirect(now, sink, offset) : readCopied(now, sink, offset));
    }

    private static int readDirect(Opened now, ByteBuffer sink, long offset) throws CephException {
        int done = readFully(now, MemorySegment.ofBuffer(sink), offset);
        sink.position(sink.position() + done);
        return done;
    }

    private static int readCopied(Opened now, ByteBuffer sink, long offset) throws CephException {
        int done = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(Math.min(COPY_BYTES, sink.remaining()));
            while (sink.hasRemaining()) {
                MemorySegment piece = copy.asSlice(0, Math.min(copy.byteSize(), sink.remaining()));
                int count = readFully(now, piece, offset + done);
                sink.put(piece.asSlice(0, count).asByteBuffer());
                done += count;
                if (count < piece.byteSize()) {
                    break;
                }
            }
        }
        return done;
    }

    private static int readFully(Opened now, MemorySegment sink, long offset) throws CephException {
        long done = 0;
        while (done < sink.byteSize()) {
            int count = DataCalls.read(now.mount(), now.file(), sink.asSlice(done), offset + done);
            if (count == 0) {
                break;
            }
            done += count;
        }
        return (int) done;
    }

    @Override
    public Stability write(ByteBuffer source, long offset, Stability stability) throws FsException {
        requireWrite();
        if (source.remaining() > Long.MAX_VALUE - offset) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
        long verifier = mounts.verifier();
        if (source.hasRemaining()) {
            call(now -> {
                dropPrivileges(now);
                if (source.isDirect()) {
                    contents.write(now.node(), caller, MemorySegment.ofBuffer(source), offset);
                    source.position(source.limit());
                } else {
                    writeCopied(now, source, offset);
                }
                return true;
            });
        }
        if (stability == Stability.UNSTABLE) {
            return Stability.UNSTABLE;
        }
        sync();
        if (mounts.verifier() != verifier) {
            // The mount through which the data went may have been lost with them before the sync.
            throw FsException.of(FsError.TRY_LATER);
        }
        return Stability.FILE_SYNC;
    }

    private void dropPrivileges(Opened now) throws CephException {
        if (!caller.isSuperuser()) {
            CephStatx statx = InodeCalls.attributes(now.mount(), now.node().inode(), CephStatx.IDENTITY);
            AttributeSetter.dropPrivileges(
                    caller, new Node(now.mounted(), now.node().inode(), statx));
        }
    }

    private void writeCopied(Opened now, ByteBuffer source, long offset) throws CephException, FsException {
        long at = offset;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(Math.min(COPY_BYTES, source.remaining()));
            while (source.hasRemaining()) {
                int count = (int) Math.min(copy.byteSize(), source.remaining());
                copy.asByteBuffer().put(source.slice(source.position(), count));
                contents.write(now.node(), caller, copy.asSlice(0, count), at);
                source.position(source.position() + count);
                at += count;
            }
        }
    }

    private void requireWrite() throws FsException {
        if (!access.writes()) {
            throw FsException.of(FsError.ACCESS);
        }
    }

    @Override
    public void sync() throws FsException {
        call(now -> {
            contents.sync(now.node(), caller);
            return true;
        });
    }

    /** Lets go of a mount that is over. */
    void leaveEnded(Mounted over) {
        Opened ended;
        synchronized (this) {
            ended = opened;
            if (ended == null || ended.mounted() != over) {
                return;
            }
            opened = null;
        }
        ended.leave();
    }

    @Override
    public void close() {
        Opened last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            last = opened;
            opened = null;
        }
        if (last != null) {
            last.leave();
        }
        openFiles.remove(this);
        openFiles.closed(handle, contents);
    }
}
