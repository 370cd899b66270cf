package org.warpnfs.example.zip;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Set;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.ChangeOrder;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Protection;

/** The tree of an archive. All files belong to the superuser. */
final class ZipFileSystem implements FileSystem {
    private static final int HANDLE_BYTES = Long.BYTES + Integer.BYTES;
    private static final long FIRST_COOKIE = 3;
    private static final int ONE_SECOND = 1_000_000_000;
    private static final FsLimits LIMITS = new FsLimits(
            Long.MAX_VALUE,
            1,
            FileName.MAX_LENGTH_BYTES,
            ONE_SECOND,
            0,
            ChangeOrder.NONE,
            Set.of(Capability.PERSISTENT_HANDLES, Capability.SYMLINKS));

    private final ZipTree tree;
    private final ZipContents contents;

    ZipFileSystem(FileChannel file, ZipTree tree) {
        this.tree = tree;
        this.contents = new ZipContents(file);
    }

    private FileHandle handle(ZipTree.Node node) {
        return FileHandle.of(ByteBuffer.allocate(HANDLE_BYTES)
                .putLong(tree.identity())
                .putInt(node.index)
                .array());
    }

    private ZipTree.Node node(FileHandle handle) throws FsException {
        if (handle.lengthBytes() != HANDLE_BYTES) {
            throw FsException.of(FsError.BAD_HANDLE);
        }
        ByteBuffer in = ByteBuffer.wrap(handle.toBytes());
        ZipTree.Node node = in.getLong() == tree.identity() ? tree.node(in.getInt()) : null;
        if (node == null) {
            throw FsException.of(FsError.STALE);
        }
        return node;
    }

    private ZipTree.Node directory(FileHandle handle) throws FsException {
        ZipTree.Node node = node(handle);
        if (node.type() != FileType.DIRECTORY) {
            throw FsException.of(FsError.NOT_DIRECTORY);
        }
        return node;
    }

    private FileAttributes attributes(ZipTree.Node node) {
        ZipEntry entry = node.entry;
        boolean isDirectory = node.type() == FileType.DIRECTORY;
        return new FileAttributes(
                node.type(),
                node.permissions(),
                isDirectory ? 2 + node.subdirectories : 1,
                0,
                0,
                entry == null || isDirectory ? 0 : Math.max(0, entry.sizeBytes()),
                entry == null || isDirectory ? 0 : Math.max(0, entry.compressedBytes()),
                0,
                0,
                tree.identity(),
                node.index + 1L,
                node.modifyTime(),
                node.modifyTime(),
                node.modifyTime(),
                node.modifyTime(),
                tree.identity());
    }

    private FileNode found(ZipTree.Node node) {
        return new FileNode(handle(node), attributes(node));
    }

    private Protection protection(ZipTree.Node node) {
        return Protection.of(attributes(node), null);
    }

    @Override
    public FileHandle root() {
        return handle(tree.root());
    }

    @Override
    public FsLimits limits() {
        return LIMITS;
    }

    @Override
    public FileAttributes attributes(FileHandle file) throws FsException {
        return attributes(node(file));
    }

    @Override
    public FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException {
        ZipTree.Node parent = directory(directory);
        PosixJudge.require(caller, protection(parent), Permission.EXECUTE);
        ZipTree.Node child = parent.byName.get(name);
        if (child == null) {
            throw FsException.of(FsError.NO_ENTRY);
        }
        return found(child);
    }

    @Override
    public FileNode lookupParent(Caller caller, FileHandle directory) throws FsException {
        ZipTree.Node child = directory(directory);
        PosixJudge.require(caller, protection(child), Permission.EXECUTE);
        return found(child.parent);
    }

    @Override
    public boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException {
        ZipTree.Node parent = directory(directory);
        PosixJudge.require(caller, protection(parent), Permission.READ);
        boolean searchable = PosixJudge.has(caller, protection(parent), Permission.EXECUTE);
        long first = cookie == 0 ? 0 : cookie - FIRST_COOKIE + 1;
        if (first < 0 || first > parent.children.size()) {
            throw FsException.of(FsError.BAD_COOKIE);
        }
        for (int i = (int) first; i < parent.children.size(); i++) {
            ZipTree.Node child = parent.children.get(i);
            boolean isTaken = visitor.visit(new DirectoryEntry(
                    child.name,
                    FIRST_COOKIE + i,
                    child.index + 1L,
                    child.type(),
                    withNodes && searchable ? found(child) : null,
                    withNodes && !searchable ? FsError.ACCESS : null));
            if (!isTaken) {
                return false;
            }
        }
        return true;
    }

    @Override
    public byte[] readSymlink(Caller caller, FileHandle symlink) throws FsException {
        ZipTree.Node node = node(symlink);
        ZipEntry entry = node.entry;
        if (entry == null || node.type() != FileType.SYMLINK) {
            throw FsException.of(FsError.INVALID);
        }
        requireReadable(entry);
        if (entry.sizeBytes() > PosixRules.MAX_SYMLINK_BYTES) {
            throw FsException.of(FsError.IO, entry.name() + ": a symbolic link that is too long");
        }
        ByteBuffer target = ByteBuffer.allocate((int) entry.sizeBytes());
        read(node, entry, target, 0);
        PosixRules.requireSymlinkTarget(target.array());
        return target.array();
    }

    @Override
    public OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        ZipTree.Node node = node(file);
        PosixRules.requireRegular(node.type());
        PosixJudge.requireOpenable(caller, protection(node), access);
        ZipEntry entry = node.entry;
        if (access.writes() || entry == null) {
            throw FsException.of(FsError.READ_ONLY);
        }
        requireReadable(entry);
        return new ZipOpenFile(node, entry, file);
    }

    /** Nothing is read, let alone allocated, for an entry whose sizes cannot be true. */
    private void requireReadable(ZipEntry entry) throws FsException {
        if (entry.encrypted() || (entry.method() != ZipEntry.STORED && entry.method() != ZipEntry.DEFLATED)) {
            throw FsException.of(FsError.NOT_SUPPORTED, entry.name() + ": encrypted or compressed in another way");
        }
        try {
            if (entry.isCredible(contents.fileBytes())) {
                return;
            }
        } catch (IOException e) {
            throw FsException.of(FsError.IO, e.toString());
        }
        throw FsException.of(FsError.IO, entry.name() + ": claims a size that cannot be true");
    }

    private void read(ZipTree.Node node, ZipEntry entry, ByteBuffer sink, long offset) throws FsException {
        try {
            contents.read(node, entry, sink, offset);
        } catch (IOException e) {
            throw FsException.of(FsError.IO, e.toString());
        }
    }

    @Override
    public void close() {
        try {
            contents.close();
        } catch (IOException e) {
            // Nothing was written to it.
        }
    }

    /** An open file. It holds nothing. */
    private final class ZipOpenFile implements OpenFile {
        private final ZipTree.Node node;
        private final ZipEntry entry;
        private final FileHandle handle;

        ZipOpenFile(ZipTree.Node node, ZipEntry entry, FileHandle handle) {
            this.node = node;
            this.entry = entry;
            this.handle = handle;
        }

        @Override
        public FileHandle handle() {
            return handle;
        }

        @Override
        public FileAttributes attributes() {
            return ZipFileSystem.this.attributes(node);
        }

        @Override
        public int read(ByteBuffer sink, long offset) throws FsException {
            int count = Math.clamp(entry.sizeBytes() - offset, 0, sink.remaining());
            int limit = sink.limit();
            sink.limit(sink.position() + count);
            try {
                ZipFileSystem.this.read(node, entry, sink, offset);
            } finally {
                sink.limit(limit);
            }
            return count;
        }

        @Override
        public void close() {
            // There is nothing to release.
        }
    }
}
