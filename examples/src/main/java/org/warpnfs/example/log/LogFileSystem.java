package org.warpnfs.example.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.ChangeOrder;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
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
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.Timestamp;

/**
 * Files in memory, and a log of all changes from which they come back after a restart ({@link Store}).
 *
 * <h2>Threads</h2>
 *
 * Safe for many. One lock guards the tree. No thread waits for a sync with that lock, unless the log is rewritten.
 */
final class LogFileSystem implements FileSystem {
    private static final int LIST_STEP = 128;
    private static final FsLimits LIMITS = new FsLimits(
            1L << 40,
            1,
            FileName.MAX_LENGTH_BYTES,
            1,
            0,
            ChangeOrder.GROWS,
            Set.of(
                    Capability.WRITE,
                    Capability.PERSISTENT_HANDLES,
                    Capability.RENAME,
                    Capability.SYMLINKS,
                    Capability.SPACE));

    private final Map<Long, Integer> opens = new HashMap<>();
    private final Store store;
    private final Names names;
    private final Logger logger;

    private LogFileSystem(Store store, Logger logger) {
        this.store = store;
        this.names = new Names(store, opens);
        this.logger = logger;
    }

    /** Opens the files of a directory, or begins with none. */
    static LogFileSystem open(Path directory, long capacityBytes, Logger logger) throws IOException {
        return new LogFileSystem(Store.open(directory, capacityBytes, logger), logger);
    }

    // What every backend has

    @Override
    public FileHandle root() {
        return store.handle(Tree.ROOT_ID);
    }

    @Override
    public FsLimits limits() {
        return LIMITS;
    }

    @Override
    public FileAttributes attributes(FileHandle file) throws FsException {
        synchronized (store.tree) {
            return store.attributes(store.node(file));
        }
    }

    @Override
    public FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException {
        synchronized (store.tree) {
            return store.found(
                    store.child(store.searchable(caller, directory), name).id());
        }
    }

    @Override
    public FileNode lookupParent(Caller caller, FileHandle directory) throws FsException {
        synchronized (store.tree) {
            return store.found(store.searchable(caller, directory).parent());
        }
    }

    @Override
    public boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException {
        long after = cookie;
        while (true) {
            List<DirectoryEntry> step = listStep(caller, directory, after, withNodes);
            for (DirectoryEntry entry : step) {
                if (!visitor.visit(entry)) {
                    return false;
                }
                after = entry.cookie();
            }
            if (step.size() < LIST_STEP) {
                return true;
            }
        }
    }

    /** The visitor may be slow, so it is called without the lock. */
    private List<DirectoryEntry> listStep(Caller caller, FileHandle directory, long cookie, boolean withNodes)
            throws FsException {
        synchronized (store.tree) {
            Node parent = store.directory(directory);
            PosixJudge.require(caller, parent.protection(), Permission.READ);
            boolean searchable = PosixJudge.has(caller, parent.protection(), Permission.EXECUTE);
            List<DirectoryEntry> step = new ArrayList<>();
            for (Directory.Entry entry :
                    store.tree.directory(parent.id()).after(cookie).values()) {
                FileNode file = store.found(entry.file());
                step.add(new DirectoryEntry(
                        entry.name(),
                        entry.cookie(),
                        entry.file(),
                        file.attributes().type(),
                        withNodes && searchable ? file : null,
                        withNodes && !searchable ? FsError.ACCESS : null));
                if (step.size() == LIST_STEP) {
                    break;
                }
            }
            return step;
        }
    }

    @Override
    public OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        synchronized (store.tree) {
            Node node = store.node(file);
            PosixRules.requireRegular(node.type());
            PosixJudge.requireOpenable(caller, node.protection(), access);
            opens.merge(node.id(), 1, Integer::sum);
            return new LogOpenFile(this, file, node.id(), caller, access);
        }
    }

    @Override
    public void close() {
        store.close();
    }

    // The capability SPACE, and a fault for the administrator

    @Override
    public FsStatistics statistics() {
        synchronized (store.tree) {
            long free = Math.max(0, store.capacityBytes() - store.tree.usedBytes());
            long files = free / Tree.NODE_BYTES;
            return new FsStatistics(
                    store.capacityBytes(), free, free, store.capacityBytes() / Tree.NODE_BYTES, files, files);
        }
    }

    @Override
    public Optional<String> fault() {
        return store.hasFailed() ? Optional.of("its log failed, and nothing can be changed") : Optional.empty();
    }

    // The capability WRITE

    @Override
    public long writeVerifier() {
        return store.verifier();
    }

    @Override
    public FileAttributes setAttributes(Caller caller, FileHandle file, AttributeChanges changes) throws FsException {
        return store.change(() -> set(caller, store.node(file), changes));
    }

    private FileAttributes set(Caller caller, Node node, AttributeChanges changes) throws FsException {
        PosixJudge.requireSettable(caller, node.protection(), changes);
        if (changes.sizeBytes() != null && changes.sizeBytes() > LIMITS.maxFileSizeBytes()) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
        Node changed = node.with(PosixRules.afterChange(caller, node.attributes(), changes, Store.now(), store.next()));
        boolean timesAreSet = changes.accessTime() != null || changes.modifyTime() != null;
        store.commit(new Batch().node(timesAreSet ? changed.withVerifier(null) : changed), 0);
        return store.attributes(changed);
    }

    @Override
    public Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException {
        return store.change(() -> {
            Node parent = store.searchable(caller, directory);
            if (store.tree.directory(parent.id()).find(name) != null) {
                return new Created(existing(caller, store.child(parent, name), mode), false);
            }
            Long made = mode instanceof CreateMode.Exclusive exclusive ? exclusive.verifier() : null;
            return new Created(add(caller, parent, name, FileType.REGULAR, mode.attributes(), "", made), true);
        });
    }

    private FileNode existing(Caller caller, Node found, CreateMode mode) throws FsException {
        switch (mode) {
            case CreateMode.Guarded _ -> throw FsException.of(FsError.EXISTS);
            case CreateMode.Exclusive exclusive -> {
                Long verifierOfFile = found.verifier();
                if (verifierOfFile == null
                        || verifierOfFile != exclusive.verifier()
                        || !PosixRules.isAsMade(caller, found.attributes(), exclusive.attributes())) {
                    throw FsException.of(FsError.EXISTS);
                }
            }
            case CreateMode.Unchecked unchecked -> {
                PosixRules.requireRegular(found.type());
                Long sizeBytes = unchecked.attributes().sizeBytes();
                if (sizeBytes != null) {
                    set(caller, found, AttributeChanges.ofSize(sizeBytes));
                }
            }
        }
        return store.found(found.id());
    }

    @Override
    public FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException {
        return store.change(
                () -> addNew(caller, store.searchable(caller, directory), name, FileType.DIRECTORY, attributes, ""));
    }

    private FileNode addNew(
            Caller caller, Node parent, FileName name, FileType type, AttributeChanges attributes, String target)
            throws FsException {
        if (store.tree.directory(parent.id()).find(name) != null) {
            throw FsException.of(FsError.EXISTS);
        }
        return add(caller, parent, name, type, attributes, target, null);
    }

    private FileNode add(
            Caller caller,
            Node parent,
            FileName name,
            FileType type,
            AttributeChanges attributes,
            String target,
            @Nullable Long createVerifier)
            throws FsException {
        PosixJudge.requireModifiable(caller, parent.protection());
        if (parent.attributes().linkCount() == 0) {
            throw FsException.of(FsError.STALE);
        }
        Timestamp now = Store.now();
        FileAttributes made =
                PosixRules.ofNew(caller, parent.attributes(), type, attributes, store.next(), now, store.next());
        if (made.sizeBytes() > LIMITS.maxFileSizeBytes()) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
        if (type == FileType.SYMLINK) {
            made = PosixRules.withSizeBytes(made, target.length());
        }
        long id = made.fileId();
        Node child = new Node(made, parent.id(), target, createVerifier);
        int links = type == FileType.DIRECTORY ? 1 : 0;
        store.commit(
                new Batch()
                        .node(parent.with(PosixRules.afterNaming(parent.attributes(), links, now, store.next())))
                        .node(child)
                        .entry(parent.id(), new Directory.Entry(name, store.next(), id)),
                Tree.NODE_BYTES);
        return store.found(id);
    }

    @Override
    public void remove(Caller caller, FileHandle directory, FileName name) throws FsException {
        store.change(() -> {
            Node parent = store.searchable(caller, directory);
            Node file = names.removable(caller, parent, name);
            if (file.type() == FileType.DIRECTORY) {
                throw FsException.of(FsError.IS_DIRECTORY);
            }
            Timestamp now = Store.now();
            Batch batch = new Batch()
                    .noEntry(parent.id(), name)
                    .node(parent.with(PosixRules.afterNaming(parent.attributes(), 0, now, store.next())));
            store.commit(names.removed(batch, file, now), 0);
            return file;
        });
    }

    @Override
    public void removeDirectory(Caller caller, FileHandle directory, FileName name) throws FsException {
        store.change(() -> {
            Node parent = store.searchable(caller, directory);
            Node removed = names.removable(caller, parent, name);
            if (removed.type() != FileType.DIRECTORY) {
                throw FsException.of(FsError.NOT_DIRECTORY);
            }
            names.requireEmpty(removed);
            store.commit(
                    new Batch()
                            .noEntry(parent.id(), name)
                            .node(parent.with(
                                    PosixRules.afterNaming(parent.attributes(), -1, Store.now(), store.next())))
                            .gone(removed.id()),
                    0);
            return removed;
        });
    }

    // The capability SYMLINKS

    @Override
    public FileNode makeSymlink(
            Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException {
        PosixRules.requireSymlinkTarget(target);
        String text = new String(target, StandardCharsets.ISO_8859_1);
        return store.change(() -> addNew(
                caller, store.searchable(caller, directory), name, FileType.SYMLINK, attributes.withSize(null), text));
    }

    @Override
    public byte[] readSymlink(Caller caller, FileHandle symlink) throws FsException {
        synchronized (store.tree) {
            Node node = store.node(symlink);
            if (node.type() != FileType.SYMLINK) {
                throw FsException.of(FsError.INVALID);
            }
            return node.targetBytes();
        }
    }

    // The capability RENAME

    @Override
    public void rename(
            Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException {
        store.change(() -> {
            names.rename(caller, fromDirectory, fromName, toDirectory, toName);
            return toName;
        });
    }

    // For open files

    FileAttributes attributesOf(long id) throws FsException {
        synchronized (store.tree) {
            return store.attributes(store.node(id));
        }
    }

    int read(long id, ByteBuffer sink, long offset) throws FsException {
        synchronized (store.tree) {
            long left = Math.max(0, store.node(id).attributes().sizeBytes() - offset);
            int count = (int) Math.min(sink.remaining(), left);
            int limit = sink.limit();
            store.tree.contents(id).read(sink.limit(sink.position() + count), offset);
            sink.limit(limit);
            return count;
        }
    }

    Stability write(Caller caller, long id, ByteBuffer source, long offset, Stability stability) throws FsException {
        if (!source.hasRemaining()) {
            return Stability.FILE_SYNC;
        }
        if (offset > LIMITS.maxFileSizeBytes() - source.remaining()) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
        long mark;
        synchronized (store.tree) {
            Node node = store.node(id);
            long sizeBytes = Math.max(node.attributes().sizeBytes(), offset + source.remaining());
            FileAttributes written =
                    PosixRules.afterWrite(caller, node.attributes(), sizeBytes, Store.now(), store.next());
            Batch batch =
                    new Batch().node(node.with(written).withVerifier(null)).data(id, offset, source);
            store.commit(batch, source.remaining() + 2 * Contents.CHUNK_BYTES);
            mark = store.end();
        }
        source.position(source.limit());
        if (stability == Stability.UNSTABLE) {
            return stability;
        }
        store.sync(mark);
        return Stability.FILE_SYNC;
    }

    void sync() throws FsException {
        store.sync();
    }

    void closed(long id) {
        synchronized (store.tree) {
            boolean isLast = opens.merge(id, -1, (a, b) -> a + b == 0 ? null : a + b) == null;
            Node node = store.tree.node(id);
            if (!isLast || node == null || node.attributes().linkCount() > 0) {
                return;
            }
            try {
                store.commit(new Batch().gone(id), 0);
            } catch (FsException e) {
                logger.debug("a removed file stays until the next start", e);
            }
        }
    }
}
