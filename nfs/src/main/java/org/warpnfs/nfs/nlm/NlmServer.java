package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.stats.CallRecorder;

/** NLM and NSM of one server. Safe for any thread. */
public final class NlmServer {
    private static final Logger LOG = LoggerFactory.getLogger(NlmServer.class);

    private final NlmLocks locks;
    private final NlmShares shares;
    private final StatusMonitor monitor;
    private final NlmProgram nlm;
    private final NsmProgram nsm;

    /**
     * Starts a new instance of the server. If clients had locks before, nobody gets new ones until they have had time
     * to reclaim them.
     *
     * @param locks the byte-range locks of all protocols
     * @param store for what must survive a restart; null for a server whose files do not outlive it
     * @param grace how long clients may reclaim
     * @param clockNanos the clock of NFSv4
     * @throws IOException if the directory cannot be read or written; the message says what
     */
    public NlmServer(
            ExportTable exports,
            NfsHandles handles,
            LockService locks,
            NlmLimits limits,
            @Nullable NsmStore store,
            Duration grace,
            OtherPrograms others,
            CallRecorder recorder,
            LongSupplier clockNanos)
            throws IOException {
        this(exports, handles, locks, limits, store, grace, others, recorder, clockNanos, true);
    }

    /** @param forgiving false if clients of the last instance may not reclaim: others may have got their locks */
    public NlmServer(
            ExportTable exports,
            NfsHandles handles,
            LockService locks,
            NlmLimits limits,
            @Nullable NsmStore store,
            Duration grace,
            OtherPrograms others,
            CallRecorder recorder,
            LongSupplier clockNanos,
            boolean forgiving)
            throws IOException {
        this.monitor = new StatusMonitor(
                NsmRecords.open(store, limits.maxHosts()), others.calls(), limits.maxHosts(), forgiving, clockNanos);
        this.locks = new NlmLocks(locks, limits, monitor, others, clockNanos);
        this.shares = new NlmShares(limits.maxShares());
        Restarts restarts = new Restarts(exports, this.locks, shares);
        this.nlm = new NlmProgram(
                new NlmProcedures(exports, handles, this.locks, shares, restarts, others), others.calls(), recorder);
        this.nsm = new NsmProgram(monitor, restarts, recorder);
        if (monitor.hasReclaimers()) {
            LOG.info("NLM grace period of {} s: locks are only reclaimed", grace.toSeconds());
            locks.reclaimUntil(clockNanos.getAsLong() + grace.toNanos(), this::endReclaims);
            others.calls().after(grace.toNanos(), () -> others.calls()
                    .execute(() -> locks.settleReclaims(clockNanos.getAsLong())));
        }
    }

    /**
     * Must be called when the time to reclaim is over, before other servers of the same files grant new locks. Waits
     * for a disk. Returns false if it could not be written; the caller tries again.
     */
    public boolean endReclaims() {
        try {
            monitor.settle();
            return true;
        } catch (IOException e) {
            LOG.warn("NSM: the end of the time to reclaim cannot be written: {}", e.getMessage());
            return false;
        }
    }

    /** Tells the clients of the last instance of the restart. To be called when the server listens. */
    public void listening() {
        monitor.notifyClients();
    }

    public NlmProgram nlm() {
        return nlm;
    }

    public NsmProgram nsm() {
        return nsm;
    }

    /** Releases everything on a file system that is no longer served. */
    public void withdraw(FileSystem fileSystem) {
        locks.withdraw(fileSystem);
        shares.withdraw(fileSystem);
    }

    /** Number of byte ranges that clients have locked. */
    public int lockCount() {
        return locks.count();
    }

    /** Number of share reservations. */
    public int shareCount() {
        return shares.count();
    }

    /** Number of clients that are monitored. */
    public int hostCount() {
        return monitor.count();
    }
}
