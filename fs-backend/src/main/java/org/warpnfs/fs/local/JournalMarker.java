package org.warpnfs.fs.local;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.FileSystemCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * A file without a name on a file system with one journal. A change of this file goes through the journal behind all
 * earlier changes. By such changes {@link Durability} syncs the journal and tests whether it still works.
 *
 * <h2>Operation</h2>
 *
 * Code that may have to sync {@linkplain #use uses} the marker from before its change until after the sync. The marker
 * is opened for its first user, and closed by a {@link #sweep} when it has not been used for {@value #IDLE_SECONDS}
 * seconds. While it is open, the kernel does not let the host mount the file system read-only. It stays open on a file
 * system that is short of inodes: without it, a sync could not tell that the journal was aborted.
 *
 * <h2>Errors</h2>
 *
 * There is no marker if the file system does not support files without names, and while it is full or read-only. Then
 * {@link #fd} is null, and changes are synced file by file. While descriptors are short, {@link #use} is refused.
 *
 * <p>Safe for many threads. It is opened and closed without its lock: where descriptors are short, an open first syncs
 * and closes idle files of every file system, and these syncs and closes call markers themselves.
 */
final class JournalMarker implements AutoCloseable {
    static final int PERMISSIONS = 0600;
    /** Time without use until the marker is closed. To open it again costs a transaction of the journal. */
    static final int IDLE_SECONDS = 60;
    /** With fewer free inodes the marker stays open, since it might not be possible to open it again. */
    private static final long MIN_FREE_FILES = 1024;

    private final Opening opening;
    private final BooleanSupplier hasRoom;
    private final LongSupplier clockNanos;
    private boolean possible;
    private int users;
    private long lastUsedNanos;
    private @Nullable Fd fd;

    /**
     * Makes a marker that is not open yet.
     *
     * @param wanted false for a file system that has no journal for all changes: it gets no marker
     */
    JournalMarker(Fd rootFd, boolean wanted, LongSupplier clockNanos) {
        this(() -> OpenCalls.openNameless(rootFd, PERMISSIONS), () -> hasRoom(rootFd), wanted, clockNanos);
    }

    /**
     * Does the same with another way to open it.
     *
     * @param hasRoom false if a file that is closed now could perhaps not be made again
     */
    JournalMarker(Opening opening, BooleanSupplier hasRoom, boolean wanted, LongSupplier clockNanos) {
        this.opening = opening;
        this.hasRoom = hasRoom;
        this.possible = wanted;
        this.clockNanos = clockNanos;
    }

    /** False if a file of this file system that is closed now could perhaps not be made again. */
    static boolean hasRoom(Fd rootFd) {
        try {
            FileSystemCalls.Statfs statfs = FileSystemCalls.statfs(rootFd);
            // Without a limit on inodes there is no number of them.
            return statfs.files() == 0 || statfs.freeFiles() >= MIN_FREE_FILES;
        } catch (ErrnoException e) {
            return false;
        }
    }

    /**
     * Keeps the marker open, if there can be one, until {@link #leave}.
     *
     * @throws FsException TRY_LATER if descriptors or memory are short; it is not used then
     */
    void use() throws FsException {
        synchronized (this) {
            users++;
        }
        boolean used = false;
        try {
            Fd _ = openedOrShort();
            used = true;
        } catch (ErrnoException e) {
            FsException refusal = Failure.of(e);
            if (refusal.error() == FsError.TRY_LATER) {
                throw refusal;
            }
            // The sync will report the error.
            used = true;
        } finally {
            if (!used) {
                leave();
            }
        }
    }

    /**
     * The marker, opened if needed, for a caller that uses it; null if it cannot be opened for a reason that is not the
     * journal's.
     *
     * @throws ErrnoException if the file system accepts no changes any more
     */
    @Nullable
    Fd opened() throws ErrnoException {
        try {
            return openedOrShort();
        } catch (ErrnoException e) {
            if (Failure.of(e).error() == FsError.TRY_LATER) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Does the same as {@link #opened}.
     *
     * @throws ErrnoException also if descriptors or memory are short
     */
    private @Nullable Fd openedOrShort() throws ErrnoException {
        synchronized (this) {
            if (fd != null || !possible) {
                return fd;
            }
        }
        Fd fresh;
        try {
            fresh = opening.open();
        } catch (ErrnoException e) {
            return insteadOf(e);
        }
        Fd kept = keep(fresh);
        if (kept != fresh) {
            fresh.close();
        }
        return kept;
    }

    /** Another may have opened it meanwhile, or it may have been closed for good. */
    private synchronized @Nullable Fd keep(Fd fresh) {
        if (fd == null && possible) {
            fd = fresh;
        }
        return fd;
    }

    private synchronized @Nullable Fd insteadOf(ErrnoException failure) throws ErrnoException {
        if (fd != null) {
            return fd;
        }
        switch (failure.errno()) {
            case Errno.EROFS, Errno.EIO, Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN -> throw failure;
            case Errno.EOPNOTSUPP, Errno.EISDIR, Errno.ENOSYS -> possible = false;
            default -> {}
        }
        return null;
    }

    /** Ends one {@link #use}. */
    synchronized void leave() {
        users--;
        lastUsedNanos = clockNanos.getAsLong();
    }

    /** The open marker; null if there is none. It stays open as long as the caller uses it. */
    synchronized @Nullable Fd fd() {
        return fd;
    }

    /**
     * Closes the marker if it has been idle for long enough and could be opened again. Must be called from time to
     * time.
     */
    void sweep() {
        if (fd() == null || !hasRoom.getAsBoolean()) {
            return;
        }
        Fd idle = null;
        synchronized (this) {
            if (users == 0 && clockNanos.getAsLong() - lastUsedNanos >= TimeUnit.SECONDS.toNanos(IDLE_SECONDS)) {
                idle = fd;
                fd = null;
            }
        }
        if (idle != null) {
            idle.close();
        }
    }

    @Override
    public void close() {
        Fd open;
        synchronized (this) {
            possible = false;
            open = fd;
            fd = null;
        }
        if (open != null) {
            open.close();
        }
    }

    /** Opens the file itself. */
    @FunctionalInterface
    interface Opening {
        Fd open() throws ErrnoException;
    }
}
