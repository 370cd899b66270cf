package org.warpnfs.nfs.locks;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;

/**
 * Finds the locks of a file at its backend, and makes them when they are first needed.
 *
 * <p>Methods that take {@link FileLocks} must be called under the lock of the service, the others without it.
 */
final class BackendRoutes {
    private final LocksByFile byFile;
    private final BackendLocking backends;
    private final Function<FileLocks, BackendLocks.Books> books;

    /** @param books what the locks of a file at its backend have to know of the service */
    BackendRoutes(LocksByFile byFile, BackendLocking backends, Function<FileLocks, BackendLocks.Books> books) {
        this.byFile = byFile;
        this.backends = backends;
        this.books = books;
    }

    /**
     * A lock that somebody else has at the backend and that conflicts; null if there is none. Waits as the backend
     * does.
     */
    @Nullable
    HeldLock conflict(LockedFile file, Locker owner, boolean exclusive, ByteRange range) throws FsException {
        if (!isTakenAt(file, range)) {
            return null;
        }
        BackendLocks backend = byFile.on(file.identity(), (locks, _) -> of(locks, file));
        return backend.test(owner, exclusive, range);
    }

    /** Notes a way to the backend of a range that is to be locked, if it is locked there too. */
    void note(FileLocks locks, LockedFile file, ByteRange range) {
        if (isTakenAt(file, range)) {
            of(locks, file).reachedBy(file);
        }
    }

    /** A file system is no longer served: locks that came through it are taken through another. */
    void withdraw(FileSystem fileSystem) {
        byFile.backends().forEach(backend -> backend.withdraw(fileSystem));
    }

    private boolean isTakenAt(LockedFile file, ByteRange range) {
        return backends.isWanted() && file.backend() != null && OwnerSide.reaches(range);
    }

    private BackendLocks of(FileLocks locks, LockedFile file) {
        BackendLocks backend = locks.backend();
        if (backend == null && file.backend() != null) {
            backend = new BackendLocks(books.apply(locks), file, backends);
            locks.backend(backend);
        }
        if (backend == null) {
            throw new IllegalArgumentException("no backend");
        }
        return backend;
    }
}
