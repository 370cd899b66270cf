package org.warpnfs.nfs.v4.state;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The grace period after a restart (RFC 8881 section 8.4.2).
 *
 * <pre>
 *   state    event                                               next
 *   -        start, the journal names no client                  OVER
 *   -        start, the journal names clients                    RUNNING
 *   RUNNING  the last of them sent RECLAIM_COMPLETE, or is gone  OVER
 *   RUNNING  something is reclaimed                              RUNNING for a second more at least
 *   RUNNING  its time is up                                      OVER
 * </pre>
 *
 * So a client that has begun gets done with all its files, unless it takes as long again (section 8.4.2.1).
 *
 * Guarded by the lock of {@link StateTable}.
 */
final class Grace {
    private static final Logger LOG = LoggerFactory.getLogger(Grace.class);
    /** Between what a client reclaims and the next. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RecoveryLog log;
    private final Set<Opaque> awaited;
    private final Set<Opaque> reclaimers;
    private final long latestEndNanos;
    private long endNanos;
    private boolean running;

    Grace(RecoveryLog log, long nowNanos, long lengthNanos) {
        this.log = log;
        this.reclaimers = log.reclaimers();
        this.awaited = new HashSet<>(reclaimers);
        this.endNanos = nowNanos + lengthNanos;
        this.latestEndNanos = endNanos + lengthNanos;
        this.running = !awaited.isEmpty();
        if (running) {
            LOG.info("NFSv4 grace period: {} client(s) may reclaim their opens and locks", awaited.size());
        }
    }

    boolean isRunning(long nowNanos) {
        if (running && nowNanos - endNanos >= 0) {
            LOG.info("NFSv4 grace period is over, {} client(s) did not come back", awaited.size());
            end();
        }
        return running;
    }

    /** True if the client was there before the restart. */
    boolean mayReclaim(Opaque owner) {
        return running && reclaimers.contains(owner);
    }

    /** A client reclaims, and will want to go on. */
    void prolong(long nowNanos) {
        long wanted = nowNanos + PAUSE_NANOS;
        if (wanted - endNanos > 0) {
            endNanos = wanted - latestEndNanos > 0 ? latestEndNanos : wanted;
        }
    }

    /** One client has reclaimed what it wants. */
    void complete(Opaque owner) {
        if (running && awaited.remove(owner) && awaited.isEmpty()) {
            LOG.info("NFSv4 grace period is over, every client has come back");
            end();
        }
    }

    private void end() {
        running = false;
        try {
            log.endGrace();
        } catch (IOException e) {
            // The next start then waits for clients that will not come: a delay, nothing lost.
            LOG.warn("The end of the grace period could not be recorded", e);
        }
    }
}
