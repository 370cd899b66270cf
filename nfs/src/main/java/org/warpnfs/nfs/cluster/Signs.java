package org.warpnfs.nfs.cluster;

import java.util.Map;
import java.util.Set;

/**
 * Signs of life that a node has looked at. They may be looked at once and considered with several versions of the
 * record: what they show is older then, which is never taken for a longer silence.
 *
 * @param nodes whose signs were read
 * @param unread why those that were tried too could not be read, by node. That is neither a sign of life nor silence
 * @param beats of those that have given one
 * @param askedNanos a time before they were read: until then at least the others may have been silent
 */
public record Signs(Set<String> nodes, Map<String, String> unread, Map<String, Beat> beats, long askedNanos) {
    public Signs {
        nodes = Set.copyOf(nodes);
        unread = Map.copyOf(unread);
        beats = Map.copyOf(beats);
    }

    public Signs(Set<String> nodes, Map<String, Beat> beats, long askedNanos) {
        this(nodes, Map.of(), beats, askedNanos);
    }

    /** True if all these were looked at, whether they could be read or not. */
    public boolean hasTried(Set<String> all) {
        return all.stream().allMatch(node -> nodes.contains(node) || unread.containsKey(node));
    }
}
