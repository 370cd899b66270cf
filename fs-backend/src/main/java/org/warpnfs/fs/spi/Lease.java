package org.warpnfs.fs.spi;

/**
 * A promise of the backend to tell when somebody other than this server is about to use a file in a way that conflicts.
 * It is for files that clients cache without asking.
 *
 * <p>A backend holds the other back until the lease is {@linkplain #close released}, for as long as its medium does
 * (Linux: {@code /proc/sys/fs/lease-break-time}). After that the lease is worth nothing, whether or not it was
 * released.
 *
 * <p>Safe for any thread.
 */
public interface Lease extends AutoCloseable {
    /** What conflicts with a lease. */
    enum Kind {
        /** Somebody opens the file for writing, or truncates it. */
        READ,
        /** Somebody opens the file at all, or truncates it. */
        WRITE
    }

    Kind kind();

    /** Releases the lease. Must not wait for others. A second call does nothing. */
    @Override
    void close();
}
