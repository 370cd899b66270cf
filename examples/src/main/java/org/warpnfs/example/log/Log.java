package org.warpnfs.example.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.slf4j.Logger;

/**
 * A file of records, each with its length and a checksum. A record that the end of a host cut short, and what follows
 * it, was never on stable storage, and is cut off at the next start.
 *
 * <p>{@link #append} and {@link #rewrite} are for one thread at a time, {@link #sync} is for any. Many that wait for a
 * sync share one.
 */
final class Log implements AutoCloseable {
    private static final int HEADER_BYTES = 2 * Integer.BYTES;

    private final Path directory;
    private final Path path;
    private final FileChannel lock;
    private final Disk disk;
    private final Object syncing = new Object();
    private FileChannel file;
    private final AtomicLong appended = new AtomicLong();
    /** Guarded by {@link #syncing}. */
    private long synced;

    private Log(Path directory, FileChannel lock, Disk disk) throws IOException {
        this.directory = directory;
        this.path = directory.resolve("log");
        this.lock = lock;
        this.disk = disk;
        this.file = openFile();
    }

    /** Brings what was written to stable storage. A test's disk may fail. */
    interface Disk {
        void sync(FileChannel file) throws IOException;
    }

    private FileChannel openFile() throws IOException {
        return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Opens the log of a directory, which no other may use. */
    static Log open(Path directory, Disk disk) throws IOException {
        FileChannel lock =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (lock.tryLock() == null) {
                throw new IOException("another server uses it");
            }
            return new Log(directory, lock, disk);
        } catch (IOException e) {
            lock.close();
            throw e;
        } catch (OverlappingFileLockException e) {
            lock.close();
            throw new IOException("this server uses it already", e);
        }
    }

    /** Reads all records, and cuts off what is no whole record. */
    void replay(Consumer<ByteBuffer> reader, Logger logger) throws IOException {
        long at = 0;
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        while (readFully(header.clear(), at)) {
            int length = header.getInt(0);
            // The bytes are there before they are allocated.
            if (length < 0 || length > file.size() - at - HEADER_BYTES) {
                break;
            }
            ByteBuffer record = ByteBuffer.allocate(length);
            if (!readFully(record, at + HEADER_BYTES) || checksum(record.array()) != header.getInt(Integer.BYTES)) {
                break;
            }
            reader.accept(record.flip());
            at += HEADER_BYTES + length;
        }
        if (at < file.size()) {
            logger.warn("{}: the last {} bytes were never complete and are cut off", path, file.size() - at);
            file.truncate(at);
        }
        file.position(at);
    }

    private boolean readFully(ByteBuffer into, long offset) throws IOException {
        while (into.hasRemaining()) {
            if (file.read(into, offset + into.position()) < 0) {
                return false;
            }
        }
        return true;
    }

    private static int checksum(byte[] record) {
        CRC32 crc = new CRC32();
        crc.update(record);
        return (int) crc.getValue();
    }

    long lengthBytes() throws IOException {
        return file.position();
    }

    /** Appends a record. It is on stable storage after {@link #sync}. */
    void append(byte[] record) throws IOException {
        write(file, record);
        appended.incrementAndGet();
    }

    private static void write(FileChannel to, byte[] record) throws IOException {
        ByteBuffer whole = ByteBuffer.allocate(HEADER_BYTES + record.length)
                .putInt(record.length)
                .putInt(checksum(record))
                .put(record)
                .flip();
        while (whole.hasRemaining()) {
            to.write(whole);
        }
    }

    /** A mark behind all that was appended. */
    long end() {
        return appended.get();
    }

    /** Brings all records before the mark to stable storage. */
    void sync(long mark) throws IOException {
        synchronized (syncing) {
            if (synced < mark) {
                long reached = appended.get();
                disk.sync(file);
                synced = reached;
            }
        }
    }

    /** Replaces the whole log at once: whenever the host ends, there is the old one or the new one. */
    void rewrite(Stream<byte[]> records) throws IOException {
        Path next = directory.resolve("log.new");
        try (FileChannel out = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            for (byte[] record : (Iterable<byte[]>) records::iterator) {
                write(out, record);
            }
            disk.sync(out);
        }
        synchronized (syncing) {
            Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel names = FileChannel.open(directory)) {
                names.force(true);
            }
            file.close();
            file = openFile();
            file.position(file.size());
            synced = appended.get();
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (syncing) {
            file.close();
            lock.close();
        }
    }
}
