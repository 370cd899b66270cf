package org.warpnfs.nfs.cluster;

import java.util.Map;
import java.util.Set;

/**
 * Signs of life that a node has looked at. They may be looked at once and considered with several versions of the
 * record: what they show is older then, which is never taken for a longer silence.
 *
 * @param nodes whose signs were looked at
 * @param beats of those that have given one
 * @param askedNanos a time before they were read: until then at least the others may have been silent
 */
public record Signs(Set<String> nodes, Map<String, Beat> beats, long askedNanos) {
    public Signs {
        nodes = Set.copyOf(nodes);
        beats = Map.copyOf(beats);
    }
}
