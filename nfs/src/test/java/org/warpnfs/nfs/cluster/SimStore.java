package org.warpnfs.nfs.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The store of a simulated cluster, and what its use has cost. Reads may be stale, as those of a caching medium. */
final class SimStore {
    private final List<ClusterRecord> versions = new ArrayList<>();
    private final Map<String, Beat> beats = new HashMap<>();
    private final Map<String, Set<Integer>> lists = new HashMap<>();
    long reads;
    long replacements;
    long refusals;
    long beatsGiven;
    long beatReads;
    long appends;
    long clientsWritten;

    SimStore() {
        versions.add(ClusterRecord.empty("00112233445566778899aabbccddeeff"));
    }

    ClusterRecord latest() {
        return versions.getLast();
    }

    /** @param behind how many versions the reader's cache is behind */
    ClusterStore.Versioned read(int behind) {
        reads++;
        int version = Math.max(0, versions.size() - 1 - behind);
        return new ClusterStore.Versioned(version, versions.get(version));
    }

    boolean replace(long version, ClusterRecord next) {
        if (version != versions.size() - 1) {
            refusals++;
            return false;
        }
        replacements++;
        versions.add(next);
        return true;
    }

    void beat(String node, Beat beat) {
        beatsGiven++;
        beats.put(node, beat);
    }

    Map<String, Beat> beats(Set<String> nodes) {
        beatReads += nodes.size();
        Map<String, Beat> seen = new HashMap<>(beats);
        seen.keySet().retainAll(nodes);
        return seen;
    }

    static String key(String node, Member.Records records) {
        return node + '/' + records.epoch() + '/' + records.instance();
    }

    void append(String list, Set<Integer> clients) {
        appends++;
        clientsWritten += clients.size();
        lists.computeIfAbsent(list, _ -> new LinkedHashSet<>()).addAll(clients);
    }

    void create(String list, Set<Integer> clients) {
        appends++;
        clientsWritten += clients.size();
        lists.put(list, new LinkedHashSet<>(clients));
    }

    Set<Integer> list(String list) {
        return lists.getOrDefault(list, Set.of());
    }
}
