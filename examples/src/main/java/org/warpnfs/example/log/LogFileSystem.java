package org.warpnfs.example.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.warpnfs.example.log.Store.Batch;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.ChangeOrder;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.fs.spi.PosixFileSystem;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Timestamp;

/**
 * Files in a {@link Store}. What the keys are, with what their values hold:
 *
 * <pre>
 * T                  id of the tree, number of starts
 * N file             attributes ({@link Codec})
 * P directory        file id of its parent
 * L symbolic link    its target
 * E directory cookie file id, name; a listing has them in this order
 * M directory name   cookie, file id; for a lookup
 * U file             number of its chunks
 * D file chunk       4096 bytes; a chunk that is not there is zero
 * </pre>
 *
 * <h2>Threads</h2>
 *
 * Safe for many. The store's monitor guards all. No thread waits for a sync with it, unless the log is rewritten.
 */
final class LogFileSystem extends PosixFileSystem<FileAttributes> {
    static final int CHUNK_BYTES = 4096;

    private static final byte[] ZEROES = new byte[CHUNK_BYTES];
    private static final long ROOT_ID = 1;
    private static final int EPOCH_BITS = 40;
    private static final byte[] TREE = Store.key('T');
    /** What a file without contents takes, about. */
    private static final int FILE_BYTES = 1024;

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

    private final Store store;
    private final long treeId;
    /** Counts changes and files. Its high bits are the number of the start, so that no number comes twice. */
    private long counter;

    private LogFileSystem(Store store) throws IOException, FsException {
        this.store = store;
        byte[] tree = store.get(TREE);
        ByteBuffer before = tree == null
                ? ByteBuffer.allocate(2 * Long.BYTES)
                        .putLong(new SecureRandom().nextLong())
                        .rewind()
                : ByteBuffer.wrap(tree);
        treeId = before.getLong();
        long epoch = before.getLong(before.position()) + 1;
        counter = epoch << EPOCH_BITS;
        Batch batch = new Batch().put(TREE, longs(treeId, epoch));
        if (tree == null) {
            Timestamp now = Timestamp.of(Instant.now());
            batch.put(Store.key('P', ROOT_ID), longs(ROOT_ID));
            put(
                    batch,
                    new FileAttributes(
                            FileType.DIRECTORY,
                            0755,
                            2,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            treeId,
                            ROOT_ID,
                            now,
                            now,
                            now,
                            now,
                            next()));
        }
        for (byte[] value : store.between(Store.key('N'), Store.key('O')).values()) {
            FileAttributes file = Codec.attributes(value, treeId);
            if (file.linkCount() == 0) {
                // It was open when the host ended.
                erase(batch, file);
            }
        }
        store.commit(batch);
        store.rewrite();
    }

    /** Opens the files of a directory, or begins with none. */
    static LogFileSystem open(Path directory, long capacityBytes, Log.Disk disk, Logger logger) throws IOException {
        Store store = Store.open(directory, capacityBytes, disk, logger);
        try {
            return new LogFileSystem(store);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        } catch (FsException e) {
            store.close();
            throw new IOException("the files take more than they may", e);
        }
    }

    private static byte[] longs(long... numbers) {
        return Arrays.copyOfRange(Store.key(' ', numbers), 1, 1 + numbers.length * Long.BYTES);
    }

    private static void put(Batch batch, FileAttributes file) {
        batch.put(Store.key('N', file.fileId()), Codec.bytes(file));
    }

    private FileAttributes file(long id) throws FsException {
        byte[] value = store.get(Store.key('N', id));
        if (value == null) {
            throw FsException.of(FsError.STALE);
        }
        FileAttributes file = Codec.attributes(value, treeId);
        return PosixRules.withUsedBytes(file, chunks(id) * CHUNK_BYTES);
    }

    private long chunks(long id) {
        byte[] value = store.get(Store.key('U', id));
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }

    // What every backend has

    @Override
    public FileHandle root() {
        return FileHandle.of(longs(treeId, ROOT_ID));
    }

    @Override
    public FsLimits limits() {
        return LIMITS;
    }

    @Override
    protected <T> T reading(Operation<T> operation) throws FsException {
        synchronized (store) {
            return operation.run();
        }
    }

    @Override
    protected FileAttributes find(FileHandle handle) throws FsException {
        if (handle.lengthBytes() != 2 * Long.BYTES) {
            throw FsException.of(FsError.BAD_HANDLE);
        }
        ByteBuffer in = ByteBuffer.wrap(handle.toBytes());
        return file(in.getLong() == treeId ? in.getLong() : 0);
    }

    @Override
    protected FileHandle handleOf(FileAttributes file) {
        return FileHandle.of(longs(treeId, file.fileId()));
    }

    @Override
    protected FileAttributes attributesOf(FileAttributes file) {
        return file;
    }

    @Override
    protected @Nullable FileAttributes child(FileAttributes directory, FileName name) throws FsException {
        byte[] value = store.get(Store.key('M', name.toBytes(), directory.fileId()));
        return value == null ? null : file(ByteBuffer.wrap(value).getLong(Long.BYTES));
    }

    @Override
    protected FileAttributes parent(FileAttributes directory) throws FsException {
        byte[] value = store.get(Store.key('P', directory.fileId()));
        return file(value == null ? 0 : ByteBuffer.wrap(value).getLong());
    }

    @Override
    protected List<Name<FileAttributes>> names(FileAttributes directory, long cookie, int most) throws FsException {
        List<Name<FileAttributes>> names = new ArrayList<>();
        if (cookie == -1) {
            return names;
        }
        byte[] from = Store.key('E', directory.fileId(), cookie + 1);
        for (Map.Entry<byte[], byte[]> each :
                store.between(from, Store.key('E', directory.fileId() + 1)).entrySet()) {
            ByteBuffer value = ByteBuffer.wrap(each.getValue());
            FileAttributes file = file(value.getLong());
            byte[] name = Arrays.copyOfRange(each.getValue(), Long.BYTES, each.getValue().length);
            names.add(
                    new Name<>(FileName.of(name), ByteBuffer.wrap(each.getKey()).getLong(1 + Long.BYTES), file));
            if (names.size() == most) {
                break;
            }
        }
        return names;
    }

    @Override
    public void close() {
        store.close();
    }

    // The capabilities SYMLINKS and SPACE, and a fault for the administrator

    @Override
    protected byte[] target(FileAttributes symlink) throws FsException {
        byte[] value = store.get(Store.key('L', symlink.fileId()));
        if (value == null) {
            throw FsException.of(FsError.STALE);
        }
        return value.clone();
    }

    @Override
    public FsStatistics statistics() {
        synchronized (store) {
            long all = store.capacityBytes();
            long free = Math.max(0, all - store.usedBytes());
            return new FsStatistics(all, free, free, all / FILE_BYTES, free / FILE_BYTES, free / FILE_BYTES);
        }
    }

    @Override
    public Optional<String> fault() {
        return store.hasFailed() ? Optional.of("its log failed, and nothing can be changed") : Optional.empty();
    }

    // The capabilities WRITE and RENAME

    @Override
    public long writeVerifier() {
        return store.verifier();
    }

    @Override
    protected <T> T changing(Operation<T> operation) throws FsException {
        return reading(operation);
    }

    @Override
    protected void sync() throws FsException {
        store.sync();
    }

    @Override
    protected long next() {
        return ++counter;
    }

    @Override
    protected Changes<FileAttributes> changes() {
        Batch batch = new Batch();
        return new Changes<>() {
            @Override
            public FileAttributes add(FileAttributes file, byte[] target) {
                put(batch, file);
                if (file.type() == FileType.SYMLINK) {
                    batch.put(Store.key('L', file.fileId()), target);
                }
                return file;
            }

            @Override
            public void set(FileAttributes file, FileAttributes attributes) {
                put(batch, attributes);
                if (attributes.sizeBytes() < file.sizeBytes()) {
                    cut(batch, attributes);
                }
            }

            @Override
            public void enter(FileAttributes directory, FileName name, FileAttributes file) {
                long cookie = next();
                byte[] bytes = name.toBytes();
                ByteBuffer entry = ByteBuffer.allocate(Long.BYTES + bytes.length)
                        .putLong(file.fileId())
                        .put(bytes);
                batch.put(Store.key('E', directory.fileId(), cookie), entry.array());
                batch.put(Store.key('M', bytes, directory.fileId()), longs(cookie, file.fileId()));
                if (file.type() == FileType.DIRECTORY) {
                    batch.put(Store.key('P', file.fileId()), longs(directory.fileId()));
                }
            }

            @Override
            public void leave(FileAttributes directory, FileName name) {
                byte[] key = Store.key('M', name.toBytes(), directory.fileId());
                byte[] value = store.get(key);
                if (value != null) {
                    long cookie = ByteBuffer.wrap(value).getLong();
                    batch.put(key, null).put(Store.key('E', directory.fileId(), cookie), null);
                }
            }

            @Override
            public void write(FileAttributes file, ByteBuffer source, long offset) {
                long chunks = chunks(file.fileId());
                for (long at = offset; source.hasRemaining(); ) {
                    int from = (int) (at % CHUNK_BYTES);
                    int length = Math.min(source.remaining(), CHUNK_BYTES - from);
                    byte[] key = Store.key('D', file.fileId(), at / CHUNK_BYTES);
                    byte[] old = store.get(key);
                    byte[] chunk = old == null ? new byte[CHUNK_BYTES] : old.clone();
                    source.get(chunk, from, length);
                    batch.put(key, chunk);
                    chunks += old == null ? 1 : 0;
                    at += length;
                }
                batch.put(Store.key('U', file.fileId()), longs(chunks));
            }

            @Override
            public void drop(FileAttributes file) {
                erase(batch, file);
            }

            @Override
            public void commit() throws FsException {
                store.commit(batch);
            }
        };
    }

    private void erase(Batch batch, FileAttributes file) {
        for (char kind : new char[] {'N', 'P', 'L', 'U'}) {
            batch.put(Store.key(kind, file.fileId()), null);
        }
        chunksFrom(file.fileId(), 0).forEach(chunk -> batch.put(chunk, null));
    }

    private Set<byte[]> chunksFrom(long id, long first) {
        return store.between(Store.key('D', id, first), Store.key('D', id + 1)).keySet();
    }

    /** Removes what is behind the length of a file, so that it reads as zeroes if the file grows again. */
    private void cut(Batch batch, FileAttributes file) {
        long sizeBytes = file.sizeBytes();
        Set<byte[]> behind = chunksFrom(file.fileId(), Math.ceilDiv(sizeBytes, CHUNK_BYTES));
        behind.forEach(chunk -> batch.put(chunk, null));
        batch.put(Store.key('U', file.fileId()), longs(chunks(file.fileId()) - behind.size()));
        byte[] key = Store.key('D', file.fileId(), sizeBytes / CHUNK_BYTES);
        byte[] last = store.get(key);
        int kept = (int) (sizeBytes % CHUNK_BYTES);
        if (last != null && kept > 0) {
            batch.put(key, Arrays.copyOf(Arrays.copyOf(last, kept), CHUNK_BYTES));
        }
    }

    @Override
    protected void read(FileAttributes file, ByteBuffer sink, long offset) {
        for (long at = offset; sink.hasRemaining(); ) {
            int from = (int) (at % CHUNK_BYTES);
            int length = Math.min(sink.remaining(), CHUNK_BYTES - from);
            byte[] chunk = store.get(Store.key('D', file.fileId(), at / CHUNK_BYTES));
            sink.put(chunk == null ? ZEROES : chunk, from, length);
            at += length;
        }
    }
}
