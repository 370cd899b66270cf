package org.warpnfs.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.stable.StableFiles;

/**
 * The directory for what must survive a restart: the key that signs file handles, the NFSv4 recovery journal, and the
 * handle tables of file systems without handles of their own.
 *
 * <h2>Operation</h2>
 *
 * When a method returns, its result is on stable storage. One server owns a state directory at a time, by a lock that
 * ends with its process. Only its user may read it, since the key allows forging file handles.
 *
 * <h2>Errors</h2>
 *
 * {@link ConfigException} names the path and what is wrong with it. A directory that a later version wrote is refused
 * and not changed: {@link StateFormat}.
 */
final class StateDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateDirectory.class);
    private static final int HANDLE_KEY_BYTES = 16;
    /** Longer than the leases and sessions of usual file systems. A service manager may start it once more. */
    private static final Duration KEPT_LOCK = Duration.ofMinutes(2);

    private static final Duration LOCK_PAUSE = Duration.ofMillis(500);
    private static final FileAttribute<Set<PosixFilePermission>> FOR_ITS_USER_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path path;
    private final DurableDirectories.Sync sync;
    private final FileChannel lockFile;
    private final FileLock lock;

    private StateDirectory(Path path, DurableDirectories.Sync sync, FileChannel lockFile, FileLock lock) {
        this.path = path;
        this.sync = sync;
        this.lockFile = lockFile;
        this.lock = lock;
    }

    /** Waits between two attempts to take the lock. */
    interface Waiting {
        /** Returns after a while; false if it has been long enough. */
        boolean pause();
    }

    /** Creates the directory if it is missing, and takes its lock. */
    static StateDirectory open(Path path) throws ConfigException {
        return open(path, StableFiles::sync);
    }

    /** Opens the directory with another implementation of syncing. */
    static StateDirectory open(Path path, DurableDirectories.Sync sync) throws ConfigException {
        return open(path, sync, () -> false, "another warpnfs uses it; give this one --state DIR");
    }

    /**
     * Opens the directory of a node, which may have run on another host. If that host has died, a shared file system
     * keeps its lock until it gives the host up, so this waits for two minutes.
     */
    static StateDirectory openOfNode(Path path) throws ConfigException {
        long end = System.nanoTime() + KEPT_LOCK.toNanos();
        return openOfNode(path, () -> {
            try {
                Thread.sleep(LOCK_PAUSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            return System.nanoTime() - end < 0;
        });
    }

    static StateDirectory openOfNode(Path path, Waiting waiting) throws ConfigException {
        return open(
                path,
                StableFiles::sync,
                waiting,
                "another process has its lock: the node runs elsewhere, or the file system keeps the lock of a host"
                        + " that has died; stop the other one, or try again");
    }

    private static StateDirectory open(Path path, DurableDirectories.Sync sync, Waiting waiting, String otherwise)
            throws ConfigException {
        try {
            new DurableDirectories(sync).make(path, FOR_ITS_USER_ALONE);
            FileChannel lockFile = FileChannel.open(
                    path.resolve("lock"),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            FileLock lock = null;
            try {
                lock = lock(lockFile, path, waiting);
            } finally {
                if (lock == null) {
                    lockFile.close();
                }
            }
            if (lock == null) {
                throw new ConfigException("state directory " + path + ": " + otherwise);
            }
            StateDirectory directory = new StateDirectory(path, sync, lockFile, lock);
            try {
                StateFormat.check(path, sync);
            } catch (ConfigException | IOException e) {
                directory.close();
                throw e;
            }
            return directory;
        } catch (IOException e) {
            throw new ConfigException("state directory " + path + ": " + reason(e), e);
        }
    }

    private static @Nullable FileLock lock(FileChannel lockFile, Path path, Waiting waiting) throws IOException {
        FileLock lock = tryLock(lockFile);
        boolean told = false;
        while (lock == null && waiting.pause()) {
            if (!told) {
                LOG.info("state directory {}: waiting for the lock of an earlier process of this node", path);
                told = true;
            }
            lock = tryLock(lockFile);
        }
        return lock;
    }

    private static @Nullable FileLock tryLock(FileChannel lockFile) throws IOException {
        try {
            return lockFile.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    Path path() {
        return path;
    }

    /** Returns the subdirectory of one owner, created if it is missing. */
    Path part(String name) throws ConfigException {
        Path part = path.resolve(name);
        try {
            new DurableDirectories(sync).make(part, FOR_ITS_USER_ALONE);
            return part;
        } catch (IOException e) {
            throw new ConfigException("state directory " + part + ": " + reason(e), e);
        }
    }

    /** Returns the key that signs file handles. If it is missing, a random key is created and stored. */
    byte[] handleKey() throws ConfigException {
        Path file = path.resolve("handle-key");
        try {
            byte[] contents = Files.readAllBytes(file);
            byte[] key = handleKeyIn(file, contents);
            if (contents.length == HANDLE_KEY_BYTES) {
                // Of an earlier version.
                StableFiles.replace(file, withSum(key));
            }
            // The server that created it may have been killed before the sync.
            sync.sync(path);
            return key;
        } catch (NoSuchFileException e) {
            return makeHandleKey(file);
        } catch (IOException e) {
            throw new ConfigException(file + ": " + reason(e), e);
        }
    }

    /**
     * The key in a file: {@value #HANDLE_KEY_BYTES} bytes, and their CRC-32C, which files of earlier versions lack.
     *
     * @throws ConfigException if the file is damaged; it says what to do
     */
    static byte[] handleKeyIn(Path file, byte[] contents) throws ConfigException {
        byte[] key = Arrays.copyOf(contents, HANDLE_KEY_BYTES);
        if (contents.length == HANDLE_KEY_BYTES || Arrays.equals(contents, withSum(key))) {
            return key;
        }
        throw new ConfigException(file + ": "
                + (contents.length == HANDLE_KEY_BYTES + Integer.BYTES
                        ? "is damaged, its checksum is wrong"
                        : "holds " + contents.length + " bytes, not " + HANDLE_KEY_BYTES + " and a checksum of "
                                + Integer.BYTES)
                + "; restore it, or remove it, which makes every client's file handles stale");
    }

    /** What a file has for a key. */
    static byte[] withSum(byte[] key) {
        CRC32C sum = new CRC32C();
        sum.update(key);
        return ByteBuffer.allocate(key.length + Integer.BYTES)
                .put(key)
                .putInt((int) sum.getValue())
                .array();
    }

    /** Returns a new key, for a server without state directory, whose handles end with its process. */
    static byte[] freshHandleKey() {
        byte[] key = new byte[HANDLE_KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return key;
    }

    private byte[] makeHandleKey(Path file) throws ConfigException {
        byte[] key = freshHandleKey();
        try {
            StableFiles.replace(file, withSum(key));
            sync.sync(path);
            return key;
        } catch (IOException e) {
            throw new ConfigException(file + ": " + reason(e), e);
        }
    }

    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "permission denied for " + denied.getFile();
            case AtomicMoveNotSupportedException move -> "cannot rename " + move.getFile();
            default -> String.valueOf(e.getMessage());
        };
    }

    @Override
    public void close() {
        try {
            lock.release();
            lockFile.close();
        } catch (IOException e) {
            throw new IllegalStateException("state directory " + path + " cannot be released", e);
        }
    }
}
