package org.warpnfs.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;

/**
 * What must outlive a restart: the key that file handles are signed with, who held NFSv4 state, handles of file systems
 * that have none of their own.
 *
 * <h2>Operation</h2>
 *
 * What a method has returned from is on stable storage. One server owns a state directory at a time, by a lock that
 * ends with its process. Only its user may read it: whoever has the key can make file handles.
 *
 * <h2>Errors</h2>
 *
 * {@link ConfigException} names the path and what is wrong with it. What a later server wrote is refused and left
 * alone: {@link StateFormat}.
 */
final class StateDirectory implements AutoCloseable {
    private static final int HANDLE_KEY_BYTES = 16;
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

    /** Makes the directory if it is missing, and takes its lock. */
    static StateDirectory open(Path path) throws ConfigException {
        return open(path, DurableDirectories::sync);
    }

    /** The same, with another way to sync directories. */
    static StateDirectory open(Path path, DurableDirectories.Sync sync) throws ConfigException {
        try {
            new DurableDirectories(sync).make(path, FOR_ITS_USER_ALONE);
            FileChannel lockFile = FileChannel.open(
                    path.resolve("lock"),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            FileLock lock = tryLock(lockFile);
            if (lock == null) {
                lockFile.close();
                throw new ConfigException(
                        "state directory " + path + ": another warpnfs uses it; give this one --state DIR");
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

    /** A part of the state directory for one owner, made if it is missing. */
    Path part(String name) throws ConfigException {
        Path part = path.resolve(name);
        try {
            new DurableDirectories(sync).make(part, FOR_ITS_USER_ALONE);
            return part;
        } catch (IOException e) {
            throw new ConfigException("state directory " + part + ": " + reason(e), e);
        }
    }

    /** The key that signs file handles: read, or drawn and kept when it is missing. */
    byte[] handleKey() throws ConfigException {
        Path file = path.resolve("handle-key");
        try {
            byte[] key = Files.readAllBytes(file);
            if (key.length != HANDLE_KEY_BYTES) {
                throw new ConfigException(file + ": holds " + key.length + " bytes, not " + HANDLE_KEY_BYTES
                        + "; restore it, or remove it, which makes every client's file handles stale");
            }
            // Whoever made it may have been killed before it was sure to stay.
            sync.sync(path);
            return key;
        } catch (NoSuchFileException e) {
            return makeHandleKey(file);
        } catch (IOException e) {
            throw new ConfigException(file + ": " + reason(e), e);
        }
    }

    /** A key of this moment: for a server that keeps no state, and whose handles end with it. */
    static byte[] freshHandleKey() {
        byte[] key = new byte[HANDLE_KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return key;
    }

    private byte[] makeHandleKey(Path file) throws ConfigException {
        byte[] key = freshHandleKey();
        Path fresh = path.resolve("handle-key.new");
        try {
            Files.deleteIfExists(fresh);
            Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(fresh, key, StandardOpenOption.SYNC);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
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
            throw new IllegalStateException("state directory " + path + " cannot be let go", e);
        }
    }
}
