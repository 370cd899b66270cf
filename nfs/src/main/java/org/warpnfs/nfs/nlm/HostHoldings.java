package org.warpnfs.nfs.nlm;

import java.net.InetAddress;
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
    private final Map<ClientAddress, OfClient> byClient = new HashMap<>();
    private int total;

    /** @param most limit of all locks */
    HostHoldings(int most) {
        this.most = most;
    }

    /** An owner's locks on one file. */
    record Place(FileSystem fileSystem, FileIdentity file, NlmOwner owner) {}

    /** The hosts at one client address. */
    private static final class OfClient {
        final Map<NlmHost, Map<Place, Integer>> byHost = new HashMap<>(2);
        int count;
    }

    /** True if the client may have two locks more: one lock that splits another makes three of one. */
    boolean hasRoomFor(ClientAddress client) {
        return FairShare.allows(countOf(client), 2, most - total);
    }

    private int countOf(ClientAddress client) {
        OfClient held = byClient.get(client);
        return held == null ? 0 : held.count;
    }

    /** Notes how many ranges an owner has locked; with 0 it may still wait for one. */
    void set(Place place, int ranges) {
        NlmHost host = place.owner().host();
        OfClient held = byClient.computeIfAbsent(host.client(), _ -> new OfClient());
        Integer before =
                held.byHost.computeIfAbsent(host, _ -> new HashMap<>(2)).put(place, ranges);
        count(held, ranges - (before == null ? 0 : before));
    }

    /** Forgets an owner that has no lock on the file. Returns true if its client has none at all. */
    boolean leave(Place place) {
        NlmHost host = place.owner().host();
        OfClient held = byClient.get(host.client());
        Map<Place, Integer> places = held == null ? null : held.byHost.get(host);
        Integer before = places == null ? null : places.remove(place);
        if (held == null || places == null || before == null) {
            return false;
        }
        count(held, -before);
        if (!places.isEmpty()) {
            return false;
        }
        held.byHost.remove(host);
        if (held.byHost.isEmpty()) {
            byClient.remove(host.client());
        }
        return true;
    }

    private void count(OfClient held, int more) {
        held.count += more;
        total += more;
    }

    /** True if the client has a lock or may wait for one. */
    boolean has(NlmHost host) {
        OfClient held = byClient.get(host.client());
        return held != null && held.byHost.containsKey(host);
    }

    /** The places of the hosts at this address that fit. Looks at no host of another client address. */
    List<Place> of(InetAddress address, Predicate<NlmHost> hosts) {
        OfClient held = byClient.get(ClientAddress.of(address));
        return held == null
                ? List.of()
                : held.byHost.entrySet().stream()
                        .filter(entry -> entry.getKey().address().equals(address) && hosts.test(entry.getKey()))
                        .flatMap(entry -> entry.getValue().keySet().stream())
                        .toList();
    }

    /** The names of the hosts at this address. */
    List<String> namesAt(InetAddress address) {
        OfClient held = byClient.get(ClientAddress.of(address));
        return held == null
                ? List.of()
                : held.byHost.keySet().stream()
                        .filter(host -> host.address().equals(address))
                        .map(NlmHost::name)
                        .toList();
    }

    /** The places on a file system. */
    List<Place> of(FileSystem fileSystem) {
        return byClient.values().stream()
                .flatMap(held -> held.byHost.values().stream())
                .flatMap(places -> places.keySet().stream())
                .filter(place -> place.fileSystem() == fileSystem)
                .toList();
    }

    /** Number of locks. */
    int total() {
        return total;
    }
}
