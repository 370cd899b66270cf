package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.memory.Domain;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.SharedObjects;

/**
 * What one queue pair takes for the time of its connection of what all share.
 *
 * <h2>Operation</h2>
 *
 * {@link #take} when the upper layer has said what it brings, {@link #agreed} when the peer has too, {@link #release}
 * at the end.
 *
 * <h2>Buffers</h2>
 *
 * None.
 *
 * <h2>Errors</h2>
 *
 * Where there is not enough for the IRD that is wanted, it becomes smaller, and the peer is told so while connecting.
 */
final class SharedResources {
    private final LocalRnic rnic;
    private final QueuePairLimits limits;
    private final RegionTable regions;
    private final ReceiveQueue receives;
    private final Upcalls upcalls;
    private int inboundReads;
    private Runnable leaveReceives = () -> {};

    SharedResources(
            LocalRnic rnic, QueuePairLimits limits, RegionTable regions, ReceiveQueue receives, Upcalls upcalls) {
        this.rnic = rnic;
        this.limits = limits;
        this.regions = regions;
        this.receives = receives;
        this.upcalls = upcalls;
    }

    /**
     * Joins what the options name.
     *
     * @param runner runs tasks on the owner thread, later
     * @return the options as far as the limits allow them
     */
    ConnectOptions take(ConnectOptions options, SharedReceives.TaskRunner runner) {
        rnic.check(options);
        SharedObjects shared = options.shared();
        if (shared.domain() instanceof Domain domain) {
            regions.join(domain);
        }
        if (shared.completions() instanceof LocalCompletionQueue completions) {
            upcalls.completeTo(completions);
        }
        if (shared.receives() instanceof SharedReceives queue) {
            SharedReceives.Share share = new SharedReceives.Share(runner);
            receives.takeFrom(queue, share);
            leaveReceives = () -> queue.leave(share);
        }
        inboundReads = rnic.inboundReads().takeUpTo(Math.min(options.ird(), limits.inboundReads()));
        return options.withReads(inboundReads, Math.min(options.ord(), limits.outstandingReads()));
    }

    /** Both sides have settled for an IRD: gives back what is over. */
    void agreed(int ird) {
        rnic.inboundReads().give(inboundReads - ird);
        inboundReads = ird;
    }

    void release() {
        agreed(0);
        leaveReceives.run();
    }
}
