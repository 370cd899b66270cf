package org.warpnfs.nfs.v4.state.file;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.warpnfs.nfs.v4.state.callback.Recaller;

/**
 * Delegations that were recalled and not returned, and counts of recalls and their results. Guarded by the lock of the
 * state.
 */
public final class DelegationRecalls {
    /**
     * Pause before a recall is repeated that the client could not process yet, as long as another client waits for it.
     */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final long leaseNanos;
    private final Recaller recaller;
    /** Recalled delegations. They may have to be revoked. */
    private final Rotation<DelegationState, DelegationState> recalled = new Rotation<>();

    private long sent;
    private long failed;
    private long returned;
    private long revoked;

    DelegationRecalls(long leaseNanos, Recaller recaller) {
        this.leaseNanos = leaseNanos;
        this.recaller = recaller;
    }

    /** Recalls a delegation. From now on the client has a lease's time to return it. */
    void begin(long nowNanos, DelegationState delegation) {
        delegation.recall(nowNanos);
        recalled.put(delegation, delegation);
    }

    /**
     * Recalls a delegation that has just been reclaimed. The client's time begins after the grace period, which lasts
     * two leases at most: before, it may not get what it needs to return the delegation.
     */
    void beginAfterGrace(long nowNanos, DelegationState delegation) {
        begin(nowNanos + 2 * leaseNanos, delegation);
    }

    /** The same for somebody who waits, but not for ever: the client's time begins now, also in the grace period. */
    void beginNow(long nowNanos, DelegationState delegation) {
        begin(nowNanos, delegation);
        delegation.hasten(nowNanos);
    }

    /** Sends a CB_RECALL if one is due. */
    void tell(long nowNanos, DelegationState delegation) {
        if (delegation.isRecallDue(nowNanos, PAUSE_NANOS)
                && recaller.recall(nowNanos, delegation.client(), delegation)) {
            sent++;
        }
    }

    boolean isOverdue(long nowNanos, DelegationState delegation) {
        return delegation.isOverdue(nowNanos, leaseNanos);
    }

    /**
     * Delegations that were recalled and not returned within a lease, among the next of all in turn.
     *
     * @param most how many to look at; {@link #isSweeping} says whether there are more
     */
    List<DelegationState> overdue(long nowNanos, int most) {
        return recalled.nextOfRound(most).stream()
                .filter(delegation -> isOverdue(nowNanos, delegation))
                .toList();
    }

    /** True if a round of {@link #overdue} has stopped before its end. */
    boolean isSweeping() {
        return recalled.isInRound();
    }

    /** Notes that the client no longer has the delegation. */
    void end(DelegationState delegation) {
        recalled.remove(delegation, delegation);
    }

    /** Notes that the client returns the delegation, recalled or not. */
    void returned(DelegationState delegation) {
        returned += delegation.isRecalled() ? 1 : 0;
    }

    /** Counts a delegation that was revoked. */
    void revoked() {
        revoked++;
    }

    /** Counts a CB_RECALL without an answer or with an error. */
    public void failed() {
        failed++;
    }

    /** Counts of recalls and their results since the start. */
    public RecallCounts counts() {
        return new RecallCounts(sent, failed, returned, revoked);
    }
}
