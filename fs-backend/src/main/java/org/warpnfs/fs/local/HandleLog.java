package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.stable.StableFiles;

/**
 * The table of {@link TableHandles} on disk: a log of where files were seen, read at each start. It is rewritten at
 * each start, and whenever it has more than twice as many records as the table has files.
 *
 * <p>A record reaches the kernel before its handle reaches a client, so the end of the server's process loses nothing.
 * Records are not synced, so the end of the host may lose the latest ones. The log then lacks the mark of a clean stop
 * at its end, and its reader knows that files may be missing. The missing ones cannot be recovered, so a log that once
 * lacked some is never closed with the mark again. Records, big endian:
 *
 * <pre>
 * offset  length  field
 *   0       4     CRC-32C of the rest
 *   4      32     the file: {@link FileKey}; all zeroes in the mark of a clean stop
 *  36      32     its directory, likewise
 *  68       1     length of its name; 0 if the file is gone
 *  69       .     its name
 * </pre>
 *
 * Safe for many threads.
 */
final class HandleLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HandleLog.class);
    private static final long MAGIC = 0x7761_7270_6873_0002L;
    /** Permissions of the log's files. The process's umask is 0, so it does not reduce them. */
    private static final int HEADER_BYTES = Long.BYTES;

    private static final int FIXED_BYTES = Integer.BYTES + 2 * FileKey.LENGTH_BYTES + 1;
    /** Surplus records that do not yet cause a rewrite: 1 MiB or less. */
    private static final int SPARE_RECORDS = 4096;

    private static final FileKey NONE = new FileKey(0, 0, 0, 0, 0);

    private final FileChannel lockChannel;
    private final FileLock lock;
    private final Path path;
    private final Map<FileKey, Place> table;
    private FileChannel channel;
    private long records;
    private boolean incomplete;
    private final ByteBuffer record = ByteBuffer.allocate(FIXED_BYTES + FileName.MAX_LENGTH_BYTES);
    private boolean failed;

    private HandleLog(
            FileChannel lockChannel, FileLock lock, FileChannel channel, Path path, Map<FileKey, Place> table) {
        this.lockChannel = lockChannel;
        this.lock = lock;
        this.channel = channel;
        this.path = path;
        this.table = table;
    }

    /**
     * Reads the log of the tree into {@code table} and rewrites it.
     *
     * @return the log to append to
     * @throws IOException if another server uses it, or it cannot be written
     */
    static HandleLog open(Path directory, long treeId, Map<FileKey, Place> table) throws IOException {
        boolean isNew = Files.notExists(directory);
        StableFiles.createDirectories(directory);
        Path parent = directory.toAbsolutePath().getParent();
        if (isNew && parent != null) {
            // If the directory's name were lost with the host, the log would count as never written and no file would
            // be searched for.
            StableFiles.sync(parent);
        }
        String name = "handles-%016x".formatted(treeId);
        Path path = directory.resolve(name + ".log");
        FileChannel lockChannel = StableFiles.open(
                directory.resolve(name + ".lock"), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        try {
            FileLock lock = tryLock(lockChannel);
            if (lock == null) {
                throw new IOException("another server uses " + path);
            }
            boolean clean = readIfThere(path, table);
            if (!clean) {
                LOG.warn("{} may lack files whose handles clients hold: the tree is searched for such a file", path);
            }
            HandleLog log = new HandleLog(lockChannel, lock, createFresh(path), path, table);
            log.wasClean = clean;
            log.incomplete = !clean;
            try {
                log.writeAll();
                Files.move(fresh(path), path, StandardCopyOption.ATOMIC_MOVE);
                // After the end of the host the old log must not come back: it may end with the mark of a clean stop.
                StableFiles.sync(directory);
            } catch (IOException e) {
                log.channel.close();
                throw e;
            }
            return log;
        } catch (IOException | RuntimeException e) {
            lockChannel.close();
            throw e;
        }
    }

    private static Path fresh(Path path) {
        return path.resolveSibling(path.getFileName() + ".new");
    }

    private static FileChannel createFresh(Path path) throws IOException {
        Path fresh = fresh(path);
        // A file gets its permissions only when it is created.
        Files.deleteIfExists(fresh);
        return StableFiles.open(fresh, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    private boolean wasClean;

    /** True if the log had every handle that was given out. */
    boolean wasClean() {
        return wasClean;
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    /**
     * Reads the log if there is one. One that cannot be read is not taken for missing: it would be replaced, and the
     * files in it would never be searched for.
     */
    private static boolean readIfThere(Path path, Map<FileKey, Place> table) throws IOException {
        try {
            return read(path, table);
        } catch (NoSuchFileException e) {
            return true;
        }
    }

    /** Reads the valid records into the table. Returns true if the log ends with the mark of a clean stop. */
    static boolean read(Path path, Map<FileKey, Place> table) throws IOException {
        try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer buffer = ByteBuffer.allocate(1 << 16).limit(0);
            if (!fill(in, buffer, HEADER_BYTES) || buffer.getLong() != MAGIC) {
                return false;
            }
            boolean clean = false;
            while (fill(in, buffer, FIXED_BYTES)) {
                int nameLength = buffer.get(buffer.position() + FIXED_BYTES - 1) & 0xff;
                if (!fill(in, buffer, FIXED_BYTES + nameLength)) {
                    return false;
                }
                ByteBuffer one = buffer.slice(buffer.position(), FIXED_BYTES + nameLength);
                buffer.position(buffer.position() + FIXED_BYTES + nameLength);
                if (one.getInt() != checksum(one.slice())) {
                    return false;
                }
                clean = apply(one, table);
            }
            return clean && !buffer.hasRemaining();
        }
    }

    private static boolean fill(FileChannel in, ByteBuffer buffer, int wanted) throws IOException {
        if (buffer.remaining() >= wanted) {
            return true;
        }
        buffer.compact();
        while (buffer.position() < wanted && in.read(buffer) >= 0) {
            // until there are enough bytes
        }
        buffer.flip();
        return buffer.remaining() >= wanted;
    }

    /** Applies one record. Returns true if it is the mark of a clean stop. */
    private static boolean apply(ByteBuffer one, Map<FileKey, Place> table) {
        FileKey file = FileKey.read(one);
        FileKey directory = FileKey.read(one);
        byte[] name = new byte[one.get() & 0xff];
        one.get(name);
        if (file.equals(NONE)) {
            return true;
        }
        if (name.length == 0) {
            table.remove(file);
            return false;
        }
        try {
            table.put(file, new Place(directory, FileName.of(name)));
        } catch (FsException e) {
            LOG.warn("a record of the handle table has an invalid file name and is ignored");
        }
        return false;
    }

    private static int checksum(ByteBuffer data) {
        CRC32C crc = new CRC32C();
        crc.update(data);
        return (int) crc.getValue();
    }

    private synchronized void writeAll() throws IOException {
        records = 0;
        ByteBuffer out = ByteBuffer.allocate(1 << 16);
        out.putLong(MAGIC);
        for (Map.Entry<FileKey, Place> entry : table.entrySet()) {
            encode(entry.getKey(), entry.getValue());
            if (out.remaining() < record.remaining()) {
                drain(out.flip());
                out.clear();
            }
            out.put(record);
            records++;
        }
        drain(out.flip());
        channel.force(false);
    }

    private void drain(ByteBuffer out) throws IOException {
        while (out.hasRemaining()) {
            channel.write(out);
        }
    }

    private void encode(FileKey file, @Nullable Place place) {
        record.clear().position(Integer.BYTES);
        file.write(record);
        (place == null ? NONE : place.directory()).write(record);
        byte[] name = place == null ? new byte[0] : place.name().toBytes();
        record.put((byte) name.length).put(name).flip();
        record.putInt(0, checksum(record.slice(Integer.BYTES, record.remaining() - Integer.BYTES)));
    }

    /** Records where a file is, or that it is gone if {@code place} is null. */
    synchronized void append(FileKey file, @Nullable Place place) {
        if (failed) {
            return;
        }
        boolean isWhole = false;
        try {
            write(file, place);
            if (records > 2L * table.size() + SPARE_RECORDS) {
                // A listing comes here as its caller, to whom the directory of the log is closed.
                boolean _ = CallerIdentity.asOneself(this::compact);
            }
            isWhole = true;
        } catch (IOException e) {
            LOG.error("{} cannot be written any more: {}", path, e.toString());
        } finally {
            // The log will lack the mark of a clean stop, so after the next start files are searched for.
            failed |= !isWhole;
        }
    }

    private void write(FileKey file, @Nullable Place place) throws IOException {
        encode(file, place);
        drain(record);
        records++;
    }

    /**
     * Replaces this log by a new one. A change of the table meanwhile is in the new log, or is appended to it, or both.
     *
     * @return true, so that this is an {@link CallerIdentity.OwnWork}
     */
    private boolean compact() throws IOException {
        FileChannel old = channel;
        channel = createFresh(path);
        old.close();
        writeAll();
        Files.move(fresh(path), path, StandardCopyOption.ATOMIC_MOVE);
        return true;
    }

    /** Notes that the table no longer has every file. The log will then lack the mark of a clean stop. */
    synchronized void markIncomplete() {
        incomplete = true;
    }

    @Override
    public synchronized void close() {
        boolean complete = !incomplete && !failed;
        failed = true;
        try (lockChannel;
                lock;
                FileChannel last = channel) {
            if (complete) {
                write(NONE, null);
            }
            last.force(false);
        } catch (IOException e) {
            LOG.error("{} may be incomplete: {}", path, e.toString());
        }
    }
}
