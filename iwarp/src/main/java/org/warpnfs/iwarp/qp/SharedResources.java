package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.memory.Domain;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.SharedObjects;

/**
 * The shared resources that one queue pair holds while it is connected.
 *
 * <h2>Operation</h2>
 *
 * {@link #take} is called when the options of the upper layer are known, {@link #agreed} when the peer's answer is
 * known too, {@link #release} at the end.
 *
 * <h2>Buffers</h2>
 *
 * None.
 *
 * <h2>Errors</h2>
 *
 * If not enough is left for the wanted IRD, the IRD is reduced, and the startup frames tell the peer the reduced
 * number.
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
     * Joins the shared objects that the options name.
     *
     * @param runner runs tasks on the owner thread, later
     * @return the options, reduced to the limits
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

    /** Both sides have agreed on an IRD. Gives back the reserved excess. */
    void agreed(int ird) {
        rnic.inboundReads().give(inboundReads - ird);
        inboundReads = ird;
    }

    void release() {
        agreed(0);
        leaveReceives.run();
    }
}
