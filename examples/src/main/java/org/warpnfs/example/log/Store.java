package org.warpnfs.example.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import org.slf4j.Logger;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Timestamp;

/**
 * The tree with its log: finds files by their handles, and makes changes.
 *
 * <p>A change is a {@link Batch} of new states. It is appended to the log, applied to the tree, and synced before the
 * call returns. If the log fails, what is on disk is not known any more: from then on every change fails, and files can
 * only be read.
 *
 * <h2>Threads</h2>
 *
 * The monitor of {@link #tree} guards the tree. A method that does not say otherwise is called with it.
 */
final class Store {
    /** The log is rewritten when it is this many times as long as the files may be. */
    private static final int LOG_PARTS = 4;

    private static final int EPOCH_BITS = 40;

    final Tree tree = new Tree();
    private final Log log;
    private final Logger logger;
    private final long capacityBytes;
    /** Counts changes and files. Its high bits are the number of the start, so that no number comes twice. */
    private long counter;

    private volatile long verifier = new SecureRandom().nextLong();
    private volatile boolean failed;

    private Store(Log log, long capacityBytes, Logger logger) throws IOException {
        this.log = log;
        this.capacityBytes = capacityBytes;
        this.logger = logger;
        log.replay(tree::apply, logger);
        long treeId = tree.node(Tree.ROOT_ID) == null ? new SecureRandom().nextLong() : tree.id();
        long epoch = tree.epoch() + 1;
        counter = epoch << EPOCH_BITS;
        tree.apply(tree.nameless().tree(treeId, epoch).toBytes());
        if (tree.node(Tree.ROOT_ID) == null) {
            tree.apply(new Batch().node(newRoot(treeId)).toBytes());
        }
        log.rewrite(tree::writeTo);
    }

    /** Opens the files of a directory, or begins with none. */
    static Store open(Path directory, long capacityBytes, Logger logger) throws IOException {
        Log log = Log.open(directory);
        try {
            return new Store(log, capacityBytes, logger);
        } catch (IOException | RuntimeException e) {
            log.close();
            throw e;
        }
    }

    private Node newRoot(long treeId) {
        Timestamp now = now();
        FileAttributes root = new FileAttributes(
                FileType.DIRECTORY, 0755, 2, 0, 0, 0, 0, 0, 0, treeId, Tree.ROOT_ID, now, now, now, now, next());
        return new Node(root, Tree.ROOT_ID, "", null);
    }

    static Timestamp now() {
        return Timestamp.of(Instant.now());
    }

    long next() {
        return ++counter;
    }

    FileHandle handle(long id) {
        return FileHandle.of(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(tree.id())
                .putLong(id)
                .array());
    }

    Node node(FileHandle handle) throws FsException {
        if (handle.lengthBytes() != 2 * Long.BYTES) {
            throw FsException.of(FsError.BAD_HANDLE);
        }
        ByteBuffer in = ByteBuffer.wrap(handle.toBytes());
        return in.getLong() == tree.id() ? node(in.getLong()) : node(0);
    }

    Node node(long id) throws FsException {
        Node node = tree.node(id);
        if (node == null) {
            throw FsException.of(FsError.STALE);
        }
        return node;
    }

    Node directory(FileHandle handle) throws FsException {
        Node node = node(handle);
        if (node.type() != FileType.DIRECTORY) {
            throw FsException.of(FsError.NOT_DIRECTORY);
        }
        return node;
    }

    /** A directory that the caller may search. */
    Node searchable(Caller caller, FileHandle handle) throws FsException {
        Node node = directory(handle);
        PosixJudge.require(caller, node.protection(), Permission.EXECUTE);
        return node;
    }

    Node child(Node directory, FileName name) throws FsException {
        Directory.Entry entry = tree.directory(directory.id()).find(name);
        if (entry == null) {
            throw FsException.of(FsError.NO_ENTRY);
        }
        return node(entry.file());
    }

    FileAttributes attributes(Node node) {
        return PosixRules.withUsedBytes(
                node.attributes(), tree.contents(node.id()).usedBytes());
    }

    FileNode found(long id) throws FsException {
        return new FileNode(handle(id), attributes(node(id)));
    }

    interface Change<T> {
        T make() throws FsException;
    }

    /** Makes a change, which is on stable storage when this returns. */
    <T> T change(Change<T> change) throws FsException {
        T result;
        long mark;
        synchronized (tree) {
            result = change.make();
            mark = log.end();
        }
        sync(mark);
        return result;
    }

    /** Appends to the log and changes the tree. With {@code growthBytes} of 0 it is done even if there is no space. */
    void commit(Batch batch, long growthBytes) throws FsException {
        if (failed) {
            throw FsException.of(FsError.IO);
        }
        if (growthBytes > 0 && tree.usedBytes() + growthBytes > capacityBytes) {
            throw FsException.of(FsError.NO_SPACE);
        }
        try {
            byte[] bytes = batch.toBytes();
            log.append(bytes);
            tree.apply(bytes);
            if (log.lengthBytes() > LOG_PARTS * capacityBytes) {
                log.rewrite(tree::writeTo);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    void sync(long mark) throws FsException {
        try {
            log.sync(mark);
        } catch (IOException e) {
            throw failed(e);
        }
        if (failed) {
            throw FsException.of(FsError.IO);
        }
    }

    /** Unstable data may be lost: the verifier changes before anyone hears of it. */
    private FsException failed(IOException e) {
        synchronized (log) {
            if (!failed) {
                logger.error("the log failed; nothing can be changed until the server is restarted", e);
                verifier = verifier + 1;
                failed = true;
            }
        }
        return FsException.of(FsError.IO, "the log failed");
    }

    /** A fault for the administrator. Any thread. */
    boolean hasFailed() {
        return failed;
    }

    long capacityBytes() {
        return capacityBytes;
    }

    /** Any thread. */
    long verifier() {
        return verifier;
    }

    /** Brings everything to stable storage. Any thread, without the monitor. */
    void sync() throws FsException {
        sync(log.end());
    }

    /** A mark behind all changes, for {@link #sync(long)}. */
    long end() {
        return log.end();
    }

    void close() {
        try {
            log.close();
        } catch (IOException e) {
            logger.warn("the log could not be closed", e);
        }
    }
}
