package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Looks at the signs of life of others, again and again. Each is read by itself, so that one that cannot be read does
 * not hide the others. One that cannot be read may take as long as a call to the store can. So after some time no more
 * are tried, and those that failed longest ago are tried first among those that have failed: the node's own next sign
 * of life must not wait for many.
 *
 * <p>Not safe for several threads.
 */
public final class Lookout {
    private final ClusterStore store;
    private final String own;
    private final long limitNanos;
    private final LongSupplier nanoTime;
    private final Map<String, Long> failedNanos = new HashMap<>();

    /**
     * @param own the node that looks
     * @param limitNanos no sign is read after this time; one that has begun is waited for
     */
    public Lookout(ClusterStore store, String own, long limitNanos, LongSupplier nanoTime) {
        this.store = store;
        this.own = own;
        this.limitNanos = limitNanos;
        this.nanoTime = nanoTime;
    }

    /**
     * Reads the signs of some nodes. Those for which there was no time count as those that could not be read.
     *
     * @throws IOException if none of them can be read, nor the node's own: then it is not a matter of single files
     */
    public Signs look(Set<String> nodes) throws IOException {
        long asked = nanoTime.getAsLong();
        failedNanos.keySet().retainAll(nodes);
        Map<String, Beat> beats = new HashMap<>();
        Map<String, String> unread = new HashMap<>();
        Set<String> read = new HashSet<>();
        for (String node : inOrder(nodes)) {
            if (!unread.isEmpty() && nanoTime.getAsLong() - asked >= limitNanos) {
                unread.put(node, "others took too long");
                continue;
            }
            try {
                beats.putAll(store.beats(Set.of(node)));
                read.add(node);
                failedNanos.remove(node);
            } catch (IOException e) {
                unread.put(node, e.toString());
                failedNanos.put(node, nanoTime.getAsLong());
            }
        }
        if (read.isEmpty() && !unread.isEmpty()) {
            Map<String, Beat> _ = store.beats(Set.of(own));
            if (nodes.contains(own)) {
                // A start must not take the place of a node whose sign it has not seen.
                throw new IOException(unread.get(own));
            }
        }
        return new Signs(read, unread, beats, asked);
    }

    private List<String> inOrder(Set<String> nodes) {
        List<String> good = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        nodes.forEach(node -> (failedNanos.containsKey(node) ? failed : good).add(node));
        // By the difference: a clock of nanoseconds may wrap around.
        long now = nanoTime.getAsLong();
        failed.sort(Comparator.comparingLong(node -> failedNanos.getOrDefault(node, now) - now));
        good.addAll(failed);
        return good;
    }
}
