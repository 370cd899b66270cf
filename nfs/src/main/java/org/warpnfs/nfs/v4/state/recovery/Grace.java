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
 *   ENDING   the end is in the journal                           OVER
 *   ENDING   the end could not be written                        ENDING, written again
 * </pre>
 *
 * No client gets new state before the end is on stable storage. Otherwise, after a second restart, clients could
 * reclaim that did not come back in time (section 8.4.2.1).
 *
 * <p>After each reclaim the period goes on for at least a second, up to twice its length. So a client that has begun
 * can usually reclaim all its files (section 8.4.2.1).
 *
 * <p>If other servers share the records ({@link SharedGrace}), their periods keep new state from everyone too, and no
 * client reclaims here before every other server does the same.
 *
 * <p>Guarded by the lock of the state.
 */
public final class Grace {
    private static final Logger LOG = LoggerFactory.getLogger(Grace.class);
    /** Time that the period goes on after a reclaim, so that the client can send the next. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RecoveryJournal journal;
    private final SharedGrace shared;
    private final Set<Opaque> awaited;
    private final Set<Opaque> reclaimers;
    private final long latestEndNanos;
    private long endNanos;
    private volatile boolean over;
    private volatile RecoveryJournal.@Nullable Entry ending;

    /** @param lengthNanos how long clients may reclaim if no reclaim prolongs it */
    public Grace(RecoveryLog log, RecoveryJournal journal, long nowNanos, long lengthNanos) {
        this.journal = journal;
        this.shared = log.shared();
        this.reclaimers = log.reclaimers();
        this.awaited = new HashSet<>(reclaimers);
        this.endNanos = nowNanos + lengthNanos;
        this.latestEndNanos = endNanos + lengthNanos;
        this.over = awaited.isEmpty();
        if (!over) {
            LOG.info("NFSv4 grace period: {} client(s) may reclaim their opens and locks", awaited.size());
        }
    }

    /** True once the period of this server's own clients is over, for good. Safe without the lock. */
    public boolean isOver() {
        return over;
    }

    /** True if other servers have the same files. Safe without the lock. */
    public boolean hasOthers() {
        return shared != SharedGrace.NONE;
    }

    /** True while clients of other servers may reclaim. Safe without the lock. */
    public boolean isShared(long nowNanos) {
        return shared.isEnforced(nowNanos);
    }

    /**
     * True while clients of this server or of others may reclaim: nobody gets new state. Begins to end the own period
     * if its time is up. Called under the lock of the state.
     */
    public boolean isRunning(long nowNanos) {
        return isRecovering(nowNanos) || shared.isEnforced(nowNanos);
    }

    /** True while clients of this server may reclaim. As {@link #isRunning}. */
    public boolean isRecovering(long nowNanos) {
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

    /** Evaluates the entry of the end: the period is over if it was written, and goes on if it could not be. */
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

    /** The entry that must be on stable storage before the period is over; null while it runs, and afterwards. */
    public RecoveryJournal.@Nullable Entry ending() {
        return over ? null : ending;
    }

    /** True if every other server keeps new state from its clients, so that the own ones may reclaim. */
    boolean mayReclaimNow(long nowNanos) {
        return shared.mayReclaim(nowNanos);
    }

    /** True if the client had state before the restart. */
    boolean mayReclaim(Opaque owner) {
        return !over && reclaimers.contains(owner);
    }

    /** Prolongs the period after a reclaim, since the client will send more. */
    void prolong(long nowNanos) {
        long wanted = nowNanos + PAUSE_NANOS;
        if (wanted - endNanos > 0) {
            endNanos = wanted - latestEndNanos > 0 ? latestEndNanos : wanted;
        }
    }

    /** Notes that a client has reclaimed everything it wants. */
    public void complete(Opaque owner) {
        if (!over && awaited.remove(owner) && awaited.isEmpty() && ending == null) {
            LOG.info("NFSv4 grace period is over, every client has come back");
            end();
        }
    }

    /**
     * Ends the period for an administrator. Returns how many clients have not finished reclaiming; -1 if the period was
     * over.
     */
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
