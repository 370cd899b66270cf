package org.warpnfs.fs.local;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;

/**
 * A file without a name on a file system with one journal. A change of it goes through the journal behind all earlier
 * changes, so that {@link Durability} can push the journal, and see whether it is still alive.
 *
 * <h2>Operation</h2>
 *
 * Whoever may have something to sync {@linkplain #use uses} the marker from before the change until after the sync. It
 * is opened for the first user, and closed by a {@link #sweep} when nobody has used it for {@value #IDLE_SECONDS}
 * seconds: while it is open, the kernel does not let the host mount the file system read-only.
 *
 * <h2>Errors</h2>
 *
 * There is no marker where the file system has no files without names, while it is full or read-only, and while
 * descriptors are short. Then {@link #fd} is null, and changes are synced file by file.
 *
 * <p>Safe for many threads.
 */
final class JournalMarker implements AutoCloseable {
    static final int PERMISSIONS = 0600;
    /** To open it costs a transaction of the journal. */
    static final int IDLE_SECONDS = 60;

    private final Fd rootFd;
    private final LongSupplier clockNanos;
    private boolean possible;
    private int users;
    private long lastUsedNanos;
    private @Nullable Fd fd;

    /**
     * Opens nothing yet.
     *
     * @param wanted false for a file system that has no journal for all: it gets no marker
     */
    JournalMarker(Fd rootFd, boolean wanted, LongSupplier clockNanos) {
        this.rootFd = rootFd;
        this.possible = wanted;
        this.clockNanos = clockNanos;
    }

    /** Keeps the marker open, if there can be one, until {@link #leave}. */
    synchronized void use() {
        users++;
        try {
            Fd _ = opened();
        } catch (ErrnoException e) {
            // Whoever syncs is told.
        }
    }

    /**
     * The marker, for one who uses it; null if there is none for a reason that says nothing about the journal.
     *
     * @throws ErrnoException if the file system takes no change any more
     */
    synchronized @Nullable Fd opened() throws ErrnoException {
        if (fd == null && possible) {
            try {
                fd = OpenCalls.openNameless(rootFd, PERMISSIONS);
            } catch (ErrnoException e) {
                if (e.errno() == Errno.EROFS || e.errno() == Errno.EIO) {
                    throw e;
                }
                possible = e.errno() != Errno.EOPNOTSUPP && e.errno() != Errno.EISDIR && e.errno() != Errno.ENOSYS;
            }
        }
        return fd;
    }

    /** Ends one {@link #use}. */
    synchronized void leave() {
        users--;
        lastUsedNanos = clockNanos.getAsLong();
    }

    /** The open marker; null if there is none. Stays open for as long as the caller uses it. */
    synchronized @Nullable Fd fd() {
        return fd;
    }

    /** Closes the marker if it was idle for long enough. To be called from time to time. */
    synchronized void sweep() {
        if (users == 0 && clockNanos.getAsLong() - lastUsedNanos >= TimeUnit.SECONDS.toNanos(IDLE_SECONDS)) {
            closeFd();
        }
    }

    @Override
    public synchronized void close() {
        possible = false;
        closeFd();
    }

    private void closeFd() {
        Fd open = fd;
        fd = null;
        if (open != null) {
            open.close();
        }
    }
}
