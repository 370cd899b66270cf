package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
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

    /**
     * Reads the signs of some nodes, each by itself, so that one that cannot be read does not hide the others.
     *
     * @param own the node that looks
     * @throws IOException if none of them can be read, nor the node's own: then it is not a matter of single files
     */
    public static Signs look(ClusterStore store, String own, Set<String> nodes, long askedNanos) throws IOException {
        Map<String, Beat> beats = new HashMap<>();
        Map<String, String> unread = new HashMap<>();
        Set<String> read = new HashSet<>();
        for (String node : nodes) {
            try {
                beats.putAll(store.beats(Set.of(node)));
                read.add(node);
            } catch (IOException e) {
                unread.put(node, e.toString());
            }
        }
        if (read.isEmpty() && !unread.isEmpty()) {
            Map<String, Beat> _ = store.beats(Set.of(own));
            if (nodes.contains(own)) {
                // A start must not take the place of a node whose sign it has not seen.
                throw new IOException(unread.get(own));
            }
        }
        return new Signs(read, unread, beats, askedNanos);
    }

    /** True if all these were looked at, whether they could be read or not. */
    public boolean hasTried(Set<String> all) {
        return all.stream().allMatch(node -> nodes.contains(node) || unread.containsKey(node));
    }
}
