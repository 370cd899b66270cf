package org.warpnfs.nfs.v4.state.recovery;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The grace period after a restart (RFC 8881, section 8.4.2).
 *
 * <pre>
 *   state    event                                               next
 *   -        start, the journal names no client                  OVER
 *   -        start, the journal names clients                    RUNNING
 *   RUNNING  the last of them sent RECLAIM_COMPLETE, or is gone  ENDING
 *   RUNNING  something is reclaimed                              RUNNING for a second more at least
 *   RUNNING  its time is up, or an administrator ends it         ENDING
 *   ENDING   the journal knows                                   OVER
 *   ENDING   the journal could not be written                    ENDING, written again
 * </pre>
 *
 * Nothing is given to anyone before the end is on stable storage: else a second restart would let those reclaim who did
 * not come back in time (section 8.4.2.1).
 *
 * <p>So a client that has begun gets done with all its files, unless it takes as long again (section 8.4.2.1).
 *
 * <p>Guarded by the lock of the state.
 */
public final class Grace {
    private static final Logger LOG = LoggerFactory.getLogger(Grace.class);
    /** Between what a client reclaims and the next. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RecoveryJournal journal;
    private final Set<Opaque> awaited;
    private final Set<Opaque> reclaimers;
    private final long latestEndNanos;
    private long endNanos;
    private volatile boolean over;
    private volatile RecoveryJournal.@Nullable Entry ending;

    /** @param lengthNanos how long clients may reclaim if none of them prolongs it */
    public Grace(RecoveryLog log, RecoveryJournal journal, long nowNanos, long lengthNanos) {
        this.journal = journal;
        this.reclaimers = log.reclaimers();
        this.awaited = new HashSet<>(reclaimers);
        this.endNanos = nowNanos + lengthNanos;
        this.latestEndNanos = endNanos + lengthNanos;
        this.over = awaited.isEmpty();
        if (!over) {
            LOG.info("NFSv4 grace period: {} client(s) may reclaim their opens and locks", awaited.size());
        }
    }

    /** True for good once it is over. May be asked without the lock. */
    public boolean isOver() {
        return over;
    }

    /** True as long as clients may reclaim; ends the period if its time is up. Under the lock of the state. */
    public boolean isRunning(long nowNanos) {
        if (over) {
            return false;
        }
        if (ending == null && nowNanos - endNanos >= 0) {
            LOG.info("NFSv4 grace period is over, {} client(s) did not come back", awaited.size());
            end();
        }
        settle();
        return !over;
    }

    /** If the journal has written the end, or could not, that is how it goes on. */
    public void settle() {
        RecoveryJournal.Entry entry = ending;
        if (!over && entry != null && entry.isDone()) {
            if (entry.hasFailed()) {
                end();
            } else {
                over = true;
            }
        }
    }

    /** What has to be on stable storage before it is over; null while it runs, and afterwards. */
    public RecoveryJournal.@Nullable Entry ending() {
        return over ? null : ending;
    }

    /** True if the client was there before the restart. */
    boolean mayReclaim(Opaque owner) {
        return !over && reclaimers.contains(owner);
    }

    /** A client reclaims, and will want to go on. */
    void prolong(long nowNanos) {
        long wanted = nowNanos + PAUSE_NANOS;
        if (wanted - endNanos > 0) {
            endNanos = wanted - latestEndNanos > 0 ? latestEndNanos : wanted;
        }
    }

    /** One client has reclaimed what it wants. */
    public void complete(Opaque owner) {
        if (!over && awaited.remove(owner) && awaited.isEmpty() && ending == null) {
            LOG.info("NFSv4 grace period is over, every client has come back");
            end();
        }
    }

    /** An administrator does not wait for those who did not come back; says how many these are, -1 if it was over. */
    public int endNow() {
        if (over) {
            return -1;
        }
        int missing = awaited.size();
        if (ending == null) {
            LOG.warn("NFSv4 grace period is ended by an administrator, {} client(s) did not come back", missing);
            end();
        }
        return missing;
    }

    private void end() {
        ending = journal.note(new RecoveryLog.Change.GraceEnded());
    }
}
