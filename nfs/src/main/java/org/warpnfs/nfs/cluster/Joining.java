package org.warpnfs.nfs.cluster;

import org.jspecify.annotations.Nullable;

/**
 * The start of a node. If the record says that it is running, its earlier instance may have crashed, or may serve on
 * another host: it is watched until it has been silent for so long that it no longer serves. Not safe for several
 * threads.
 */
public final class Joining {
    private final String node;
    private final ClusterTiming timing;
    private final Sightings sightings = new Sightings();

    public Joining(String node, ClusterTiming timing) {
        this.node = node;
        this.timing = timing;
    }

    /**
     * The record in which the node has joined; null if it has to be watched longer.
     *
     * @param view the record, and the sign of life of the node itself
     * @throws IllegalStateException if the cluster is full
     */
    public @Nullable ClusterRecord step(View view) {
        ClusterRecord record = view.record();
        Member before = record.member(node);
        if (before != null && before.running()) {
            long silentNanos = sightings.unchangedNanos(view, node, before);
            return silentNanos < timing.deadNanos()
                    ? null
                    : record.failed(node, before.instance()).join(node);
        }
        return record.join(node);
    }
}
