package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whose signs of life a node looks at. */
class RingTest {
    private static ClusterRecord cluster(int nodes) {
        ClusterRecord record = ClusterRecord.empty("00112233445566778899aabbccddeeff");
        for (int node = 0; node < nodes; node++) {
            record = record.join("n%03d".formatted(node));
        }
        return record;
    }

    @Test
    void everyNode_isLookedAtByAsManyAsItLooksAt() {
        ClusterRecord record = cluster(100);
        Map<String, Integer> lookedAt = new HashMap<>();
        for (String node : record.members().keySet()) {
            Set<String> watched = Ring.watched(record, node, _ -> false);
            assertThat(watched).hasSize(Ring.WATCHED).doesNotContain(node);
            watched.forEach(other -> lookedAt.merge(other, 1, Integer::sum));
        }
        assertThat(lookedAt).hasSize(100);
        assertThat(lookedAt.values()).containsOnly(Ring.WATCHED);
    }

    @Test
    void fewNodes_allLookAtAll() {
        ClusterRecord record = cluster(Ring.WATCHED + 1);
        for (String node : record.members().keySet()) {
            assertThat(Ring.watched(record, node, _ -> false)).isEqualTo(Ring.all(record, node));
        }
    }

    @Test
    void rackWhoseNamesFollowEachOther_isSeenByOthers_whoeverIsInIt() {
        ClusterRecord record = cluster(100);
        for (int first = 0; first + 20 <= 100; first++) {
            Set<String> rack = new HashSet<>();
            for (int node = first; node < first + 20; node++) {
                rack.add("n%03d".formatted(node));
            }
            Set<String> seen = new HashSet<>();
            for (String node : record.members().keySet()) {
                if (!rack.contains(node)) {
                    // Those at which it looks first are silent by then.
                    seen.addAll(Ring.watched(record, node, rack::contains));
                }
            }
            assertThat(seen).as("from %s on", first).containsAll(rack);
        }
    }

    @Test
    void allSilent_nodeLooksAtSomeOnly() {
        assertThat(Ring.watched(cluster(256), "n000", _ -> true)).hasSize(4 * Ring.WATCHED);
    }

    @Test
    void nodesThatHaveEnded_areNotLookedAt() {
        ClusterRecord record = cluster(3).failed("n001", 2);
        assertThat(Ring.watched(record, "n000", _ -> false)).containsExactly("n002");
    }
}
