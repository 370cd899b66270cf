package org.warpnfs.nfs.cluster;

import java.util.Map;

/**
 * What a node has seen of the others.
 *
 * @param read the record; it was read before the signs of life
 * @param beats signs of life
 * @param askedNanos a time before the signs of life were read: until then at least the others may have been silent
 * @param seenNanos a time after they were read
 */
public record View(ClusterStore.Versioned read, Map<String, Beat> beats, long askedNanos, long seenNanos) {
    public View {
        beats = Map.copyOf(beats);
    }

    ClusterRecord record() {
        return read.record();
    }
}
