package org.warpnfs.nfs.nlm;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/** Which owners of which clients may have locks on which files, and how many. Guarded by its owner's lock. */
final class HostHoldings {
    private final int most;
    private final Map<NlmHost, Map<Place, Integer>> byHost = new HashMap<>();
    private final Map<ClientAddress, Integer> byClient = new HashMap<>();
    private int total;

    /** @param most limit of all locks */
    HostHoldings(int most) {
        this.most = most;
    }

    /** An owner's locks on one file. */
    record Place(FileSystem fileSystem, FileIdentity file, NlmOwner owner) {}

    /** True if the client may have two locks more: one lock that splits another makes three of one. */
    boolean hasRoomFor(ClientAddress client) {
        return FairShare.allows(byClient.getOrDefault(client, 0), 2, most - total);
    }

    /** Notes how many ranges an owner has locked; with 0 it may still wait for one. */
    void set(Place place, int ranges) {
        Integer before = byHost.computeIfAbsent(place.owner().host(), _ -> new HashMap<>(2))
                .put(place, ranges);
        count(place, ranges - (before == null ? 0 : before));
    }

    /** Forgets an owner that has no lock on the file. Returns true if its client has none at all. */
    boolean leave(Place place) {
        Map<Place, Integer> places = byHost.get(place.owner().host());
        Integer before = places == null ? null : places.remove(place);
        if (places == null || before == null) {
            return false;
        }
        count(place, -before);
        if (places.isEmpty()) {
            byHost.remove(place.owner().host());
            return true;
        }
        return false;
    }

    /** True if the client has a lock or may wait for one. */
    boolean has(NlmHost host) {
        return byHost.containsKey(host);
    }

    private void count(Place place, int more) {
        total += more;
        byClient.merge(place.owner().host().client(), more, (had, added) -> had + added == 0 ? null : had + added);
    }

    /** The places of clients that fit. */
    List<Place> of(Predicate<NlmHost> hosts) {
        return byHost.entrySet().stream()
                .filter(entry -> hosts.test(entry.getKey()))
                .flatMap(entry -> entry.getValue().keySet().stream())
                .toList();
    }

    /** The places on a file system. */
    List<Place> of(FileSystem fileSystem) {
        return byHost.values().stream()
                .flatMap(places -> places.keySet().stream())
                .filter(place -> place.fileSystem() == fileSystem)
                .toList();
    }

    /** Number of locks. */
    int total() {
        return total;
    }
}
