package org.warpnfs.nfs.v4;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.Gateways;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.recovery.RecoveryLog;

/**
 * Options of the program.
 *
 * @param lease how long a client may be silent before its state can be revoked
 * @param grace how long clients may reclaim after a restart, at most
 * @param stateDirectory where the recovery journal is kept; null for a server whose files do not outlive it
 * @param maxIoBytes limit of one READ or WRITE; the payload pool and the transports must support it
 * @param limits how much state clients may have
 * @param dataServers where clients may read and write files of exports that permit it
 * @param sharedLog the recovery log of a server that shares its records with others; null if it has its own, in the
 *     state directory. Closed with the program
 * @param gateways servers of the same files, which clients are told of
 */
public record Nfs4Options(
        Duration lease,
        Duration grace,
        @Nullable Path stateDirectory,
        int maxIoBytes,
        StateLimits limits,
        DataServers dataServers,
        @Nullable RecoveryLog sharedLog,
        Gateways gateways) {
    /** The most that a Linux client asks for. */
    public static final int DEFAULT_MAX_IO_BYTES = 1 << 20;

    public Nfs4Options {
        if (lease.toSeconds() < 1 || lease.toDays() > 1) {
            throw new IllegalArgumentException("lease of " + lease + " is not between one second and one day");
        }
        if (grace.isNegative() || grace.toDays() > 1) {
            throw new IllegalArgumentException("grace period of " + grace + " is not between zero and one day");
        }
        if (maxIoBytes < 4096 || maxIoBytes > 1 << 28) {
            throw new IllegalArgumentException("I/O size of " + maxIoBytes + " bytes is not within 4096.." + (1 << 28));
        }
    }

    /** Options of a server that shares its records with no other. */
    public Nfs4Options(
            Duration lease,
            Duration grace,
            @Nullable Path stateDirectory,
            int maxIoBytes,
            StateLimits limits,
            DataServers dataServers) {
        this(lease, grace, stateDirectory, maxIoBytes, limits, dataServers, null, Gateways.NONE);
    }

    /** Options with the default limits of state. */
    public Nfs4Options(Duration lease, Duration grace, @Nullable Path stateDirectory, int maxIoBytes) {
        this(lease, grace, stateDirectory, maxIoBytes, StateLimits.forIoOf(maxIoBytes));
    }

    /** Options without data servers. */
    public Nfs4Options(
            Duration lease, Duration grace, @Nullable Path stateDirectory, int maxIoBytes, StateLimits limits) {
        this(lease, grace, stateDirectory, maxIoBytes, limits, DataServers.NONE);
    }
}
