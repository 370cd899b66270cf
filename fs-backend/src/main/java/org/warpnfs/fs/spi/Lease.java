package org.warpnfs.fs.spi;

import java.time.Duration;

/**
 * A promise of the backend to tell when somebody other than this server is about to use a file in a way that conflicts.
 * It is for files that clients cache without asking.
 *
 * <p>A backend holds the other back until the lease is {@linkplain #close released}, for {@link #breakTime} at most.
 * After that the lease is worth nothing, whether or not it was released.
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

    /** How long the backend holds another back from when it tells that the lease breaks. */
    default Duration breakTime() {
        return Duration.ofSeconds(45);
    }

    /** Releases the lease. Must not wait for others. A second call does nothing. */
    @Override
    void close();
}
