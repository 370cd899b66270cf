package org.warpnfs.nfs.v4;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.StateLimits;

/**
 * How the program behaves.
 *
 * @param lease how long a client may be silent before its state can be taken
 * @param grace how long clients may reclaim after a restart, at most
 * @param stateDirectory where the recovery log is kept; null for a server whose files do not outlive it
 * @param maxIoBytes of one READ or WRITE; what the payload pool and the transports can carry
 * @param limits how much clients may make the server remember
 */
public record Nfs4Options(
        Duration lease, Duration grace, @Nullable Path stateDirectory, int maxIoBytes, StateLimits limits) {
    /** What Linux's server has too. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(90);

    /** One lease, so that no client misses it. */
    public static final Duration DEFAULT_GRACE = DEFAULT_LEASE;

    /** The most that a Linux client asks for. */
    public static final int DEFAULT_MAX_IO_BYTES = 1 << 20;

    public Nfs4Options {
        if (lease.toSeconds() < 1 || lease.toDays() > 1) {
            throw new IllegalArgumentException("lease of " + lease + " is not within a second and a day");
        }
        if (grace.isNegative() || grace.toDays() > 1) {
            throw new IllegalArgumentException("grace period of " + grace + " is not within nothing and a day");
        }
        if (maxIoBytes < 4096 || maxIoBytes > 1 << 28) {
            throw new IllegalArgumentException("I/O size of " + maxIoBytes + " bytes is not within 4096.." + (1 << 28));
        }
    }

    /** With the usual limits of what is remembered. */
    public Nfs4Options(Duration lease, Duration grace, @Nullable Path stateDirectory, int maxIoBytes) {
        this(lease, grace, stateDirectory, maxIoBytes, StateLimits.forIoOf(maxIoBytes));
    }

    /** The defaults, with the recovery log in {@code stateDirectory}. */
    public static Nfs4Options withDefaults(@Nullable Path stateDirectory) {
        return new Nfs4Options(DEFAULT_LEASE, DEFAULT_GRACE, stateDirectory, DEFAULT_MAX_IO_BYTES);
    }
}
