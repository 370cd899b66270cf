package org.warpnfs.nfs.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Whose signs of life a node looks at: of the next few on a ring of all that run. So each node is looked at by as many,
 * and the cost of a node does not grow with their number. On the ring they are in an order of chance, since those that
 * fail together, in one rack, often have names that follow each other.
 *
 * <p>Beyond those that are silent it looks at more. So of a run of nodes that have failed the node before it sees the
 * first ones, and what is left is seen once those are out of the ring. One that has just come back does not know who
 * failed with it. It looks beyond all that it has not heard of yet, so the fewer come back, the more each looks at.
 */
final class Ring {
    /** How many that are not silent a node looks at. */
    static final int WATCHED = 4;

    private static final int MOST = 4 * WATCHED;

    private Ring() {}

    /** Those at which {@code node} looks. */
    static Set<String> watched(ClusterRecord record, String node, Predicate<String> silent) {
        return watched(record, node, silent, MOST);
    }

    /** Those at which {@code node} looks if any number of them may have failed. */
    static Set<String> beyond(ClusterRecord record, String node, Predicate<String> silent) {
        return watched(record, node, silent, Integer.MAX_VALUE);
    }

    private static Set<String> watched(ClusterRecord record, String node, Predicate<String> silent, int most) {
        List<String> ring = new ArrayList<>();
        record.members().forEach((name, member) -> {
            if (member.running() && !name.equals(node)) {
                ring.add(name);
            }
        });
        long own = place(node);
        // As far behind the node as they are on the ring.
        ring.sort(Comparator.comparingLong((String name) -> (place(name) - own) & 0xffff_ffffL)
                .thenComparing(Comparator.naturalOrder()));
        Set<String> watched = new LinkedHashSet<>();
        int alive = 0;
        for (String name : ring) {
            if (alive == WATCHED || watched.size() == most) {
                break;
            }
            watched.add(name);
            alive += silent.test(name) ? 0 : 1;
        }
        return watched;
    }

    /** All others that run. */
    static Set<String> all(ClusterRecord record, String node) {
        Set<String> all = new LinkedHashSet<>();
        record.members().forEach((name, member) -> {
            if (member.running() && !name.equals(node)) {
                all.add(name);
            }
        });
        return all;
    }

    /** Spreads names that differ in one digit over all 32 bits. */
    private static long place(String name) {
        int hash = name.hashCode();
        hash = (hash ^ hash >>> 16) * 0x85ebca6b;
        hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
        return (hash ^ hash >>> 16) & 0xffff_ffffL;
    }
}
