package org.warpnfs.nfs.v4.state.file;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.warpnfs.nfs.v4.state.callback.Recaller;

/** Delegations that were recalled and not given back, and what became of recalls. Guarded by the lock of the state. */
public final class DelegationRecalls {
    /** A recall that the client could not make sense of yet is repeated, for as long as someone waits for it. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final long leaseNanos;
    private final Recaller recaller;
    /** The longest ago first: what may have to be revoked. */
    private final Set<DelegationState> recalled = new LinkedHashSet<>();

    private long sent;
    private long failed;
    private long returned;
    private long revoked;

    DelegationRecalls(long leaseNanos, Recaller recaller) {
        this.leaseNanos = leaseNanos;
        this.recaller = recaller;
    }

    /** From now on the client has a lease's time to give it back. */
    void begin(long nowNanos, DelegationState delegation) {
        delegation.recall(nowNanos);
        recalled.add(delegation);
    }

    /** Tells the client, if it does not know of the recall yet. */
    void tell(long nowNanos, DelegationState delegation) {
        if (delegation.isRecallDue(nowNanos, PAUSE_NANOS)
                && recaller.recall(nowNanos, delegation.client(), delegation)) {
            sent++;
        }
    }

    boolean isOverdue(long nowNanos, DelegationState delegation) {
        return delegation.isOverdue(nowNanos, leaseNanos);
    }

    /** Those that were recalled for a lease and not given back. */
    List<DelegationState> overdue(long nowNanos) {
        List<DelegationState> overdue = new ArrayList<>();
        for (DelegationState delegation : recalled) {
            if (!isOverdue(nowNanos, delegation)) {
                break;
            }
            overdue.add(delegation);
        }
        return overdue;
    }

    /** The client has not got it any more. */
    void end(DelegationState delegation) {
        recalled.remove(delegation);
    }

    /** The client gives it back, recalled or not. */
    void returned(DelegationState delegation) {
        returned += delegation.isRecalled() ? 1 : 0;
    }

    /** One was taken back. */
    void revoked() {
        revoked++;
    }

    /** A CB_RECALL was not answered, or not as it should have been. */
    public void failed() {
        failed++;
    }

    /** What became of recalls since the start. */
    public RecallCounts counts() {
        return new RecallCounts(sent, failed, returned, revoked);
    }
}
