package org.warpnfs.example.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Values by keys: all of them in memory, and every change in a log from which they come back. It knows nothing of
 * files.
 *
 * <p>A {@link Batch} is appended to the log and applied, and is on stable storage after {@link #sync}. If the log
 * fails, what is on disk is not known any more: from then on every change fails, and values can only be read.
 *
 * <h2>Threads</h2>
 *
 * The monitor of the store guards its values. A method that does not say otherwise is called with it.
 */
final class Store {
    /** The log is rewritten when it is this many times as long as the values may be. */
    private static final int LOG_PARTS = 4;

    /** What a value takes beside its bytes. */
    private static final int ENTRY_BYTES = 100;

    private final TreeMap<byte[], byte[]> values = new TreeMap<>(Arrays::compareUnsigned);
    private final Log log;
    private final Logger logger;
    private final long capacityBytes;
    private long usedBytes;

    private volatile long verifier = new SecureRandom().nextLong();
    private volatile boolean failed;

    private Store(Log log, long capacityBytes, Logger logger) throws IOException {
        this.log = log;
        this.capacityBytes = capacityBytes;
        this.logger = logger;
        log.replay(this::apply, logger);
    }

    /** Opens the values of a directory, or begins with none. */
    static Store open(Path directory, long capacityBytes, Log.Disk disk, Logger logger) throws IOException {
        Log log = Log.open(directory, disk);
        try {
            return new Store(log, capacityBytes, logger);
        } catch (IOException | RuntimeException e) {
            log.close();
            throw e;
        }
    }

    /** A key: what kind of value, numbers that order the values of the kind, and bytes. */
    static byte[] key(char kind, byte[] name, long... numbers) {
        ByteBuffer key = ByteBuffer.allocate(1 + numbers.length * Long.BYTES + name.length);
        key.put((byte) kind);
        for (long number : numbers) {
            key.putLong(number);
        }
        return key.put(name).array();
    }

    static byte[] key(char kind, long... numbers) {
        return key(kind, new byte[0], numbers);
    }

    /** The value of a key, which must not be changed. */
    byte @Nullable [] get(byte[] key) {
        return values.get(key);
    }

    /** The values whose keys are at or after the first, and before the second. */
    NavigableMap<byte[], byte[]> between(byte[] from, byte[] before) {
        return values.subMap(from, true, before, false);
    }

    /** Changes that the log keeps all or none of. The last one for a key counts; null removes it. */
    static final class Batch {
        private final Map<byte[], byte @Nullable []> changes = new TreeMap<>(Arrays::compareUnsigned);

        Batch put(byte[] key, byte @Nullable [] value) {
            changes.put(key, value);
            return this;
        }
    }

    /** Appends to the log and changes the values; NO_SPACE if they would take more than they may. */
    void commit(Batch batch) throws FsException {
        if (failed) {
            throw FsException.of(FsError.IO);
        }
        long growthBytes = 0;
        for (Map.Entry<byte[], byte @Nullable []> each : batch.changes.entrySet()) {
            growthBytes += sizeOf(each.getKey(), each.getValue()) - sizeOf(each.getKey(), get(each.getKey()));
        }
        if (growthBytes > 0 && usedBytes + growthBytes > capacityBytes) {
            throw FsException.of(FsError.NO_SPACE);
        }
        try {
            byte[] record = record(batch.changes);
            log.append(record);
            apply(ByteBuffer.wrap(record));
            if (log.lengthBytes() > LOG_PARTS * capacityBytes) {
                rewrite();
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Makes the log as short as it can be. */
    void rewrite() throws IOException {
        log.rewrite(values.entrySet().stream().map(each -> record(Map.of(each.getKey(), each.getValue()))));
    }

    private static long sizeOf(byte[] key, byte @Nullable [] value) {
        return value == null ? 0 : (long) key.length + value.length + ENTRY_BYTES;
    }

    /** Keys and values, each behind its length; that of a value that is removed is -1. */
    private static byte[] record(Map<byte[], byte @Nullable []> changes) {
        int length = 0;
        for (Map.Entry<byte[], byte @Nullable []> each : changes.entrySet()) {
            byte[] value = each.getValue();
            length += 2 * Integer.BYTES + each.getKey().length + (value == null ? 0 : value.length);
        }
        ByteBuffer record = ByteBuffer.allocate(length);
        changes.forEach((key, value) -> {
            record.putInt(key.length).putInt(value == null ? -1 : value.length).put(key);
            if (value != null) {
                record.put(value);
            }
        });
        return record.array();
    }

    private void apply(ByteBuffer record) {
        while (record.hasRemaining()) {
            byte[] key = new byte[record.getInt()];
            int length = record.getInt();
            record.get(key);
            usedBytes -= sizeOf(key, values.remove(key));
            if (length >= 0) {
                byte[] value = new byte[length];
                record.get(value);
                usedBytes += sizeOf(key, value);
                values.put(key, value);
            }
        }
    }

    /** Brings everything that was committed to stable storage. Any thread, without the monitor. */
    void sync() throws FsException {
        try {
            log.sync(log.end());
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

    /** Any thread. */
    long capacityBytes() {
        return capacityBytes;
    }

    long usedBytes() {
        return usedBytes;
    }

    /** Any thread. */
    long verifier() {
        return verifier;
    }

    void close() {
        try {
            log.close();
        } catch (IOException e) {
            logger.warn("the log could not be closed", e);
        }
    }
}
