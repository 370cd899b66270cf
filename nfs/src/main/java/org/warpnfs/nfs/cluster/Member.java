package org.warpnfs.nfs.cluster;

import org.jspecify.annotations.Nullable;

/**
 * A node in the {@link ClusterRecord}.
 *
 * @param instance number of its latest start; no other start in the cluster has the same
 * @param running false once it has stopped or was declared dead; then this instance may never grant anything again
 * @param need true while its clients may reclaim
 * @param enforcing the latest epoch in which it grants nothing but reclaims until the grace period is lifted
 * @param records where its clients are recorded that may reclaim if it ends now; null if none may
 */
public record Member(
        int instance,
        boolean running,
        boolean need,
        long enforcing,
        @Nullable Records records) {
    /**
     * Names a list of clients of a node.
     *
     * @param epoch in which the list is kept
     * @param instance of the node that writes it; so one that was declared dead never writes to another's list
     */
    public record Records(long epoch, int instance) {}

    Member enforcingSince(long epoch) {
        return new Member(instance, running, need, epoch, records);
    }

    Member without(boolean stillRunning, boolean needed, @Nullable Records kept) {
        return new Member(instance, stillRunning, needed, enforcing, kept);
    }
}
