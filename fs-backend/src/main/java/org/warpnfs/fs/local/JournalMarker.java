package org.warpnfs.fs.local;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;

/**
 * A file without a name on a file system with one journal. A change of this file goes through the journal behind all
 * earlier changes. By such changes {@link Durability} syncs the journal and tests whether it still works.
 *
 * <h2>Operation</h2>
 *
 * Code that may have to sync {@linkplain #use uses} the marker from before its change until after the sync. The marker
 * is opened for its first user, and closed by a {@link #sweep} when it has not been used for {@value #IDLE_SECONDS}
 * seconds. While it is open, the kernel does not let the host mount the file system read-only.
 *
 * <h2>Errors</h2>
 *
 * There is no marker if the file system does not support files without names, while it is full or read-only, and while
 * descriptors are short. Then {@link #fd} is null, and changes are synced file by file.
 *
 * <p>Safe for many threads.
 */
final class JournalMarker implements AutoCloseable {
    static final int PERMISSIONS = 0600;
    /** Time without use until the marker is closed. To open it again costs a transaction of the journal. */
    static final int IDLE_SECONDS = 60;

    private final Fd rootFd;
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
            // The sync will report the error.
        }
    }

    /**
     * The marker, opened if needed, for a caller that uses it; null if it cannot be opened for a reason that is not the
     * journal's.
     *
     * @throws ErrnoException if the file system accepts no changes any more
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

    /** The open marker; null if there is none. It stays open as long as the caller uses it. */
    synchronized @Nullable Fd fd() {
        return fd;
    }

    /** Closes the marker if it has been idle for long enough. Must be called from time to time. */
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
