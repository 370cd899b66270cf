package org.warpnfs.nfs.v4.state.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.core.Client;

/**
 * Clients in the order in which they were last heard of, both all of them and by address. The one that has been silent
 * for longest comes first, so dispensable clients are found at the front. Guarded by the lock of the state.
 */
final class LeaseOrder {
    private static final LinkedHashMap<Long, ClientRecord> NOBODY = new LinkedHashMap<>();
    private static final int MAX_LOOKED_AT = 64;

    private final long leaseNanos;
    private final Predicate<Client> holdsState;
    private final LinkedHashMap<Long, ClientRecord> byId = new LinkedHashMap<>();
    private final Map<ClientAddress, LinkedHashMap<Long, ClientRecord>> byAddress = new HashMap<>();

    /** @param holdsState true for clients that have opens or delegations */
    LeaseOrder(long leaseNanos, Predicate<Client> holdsState) {
        this.leaseNanos = leaseNanos;
        this.holdsState = holdsState;
    }

    void add(ClientRecord record) {
        Client client = record.client;
        byId.put(client.id(), record);
        byAddress.computeIfAbsent(client.address(), _ -> new LinkedHashMap<>(2)).put(client.id(), record);
    }

    void remove(Client client) {
        byId.remove(client.id());
        byAddress.computeIfPresent(client.address(), (_, neighbours) -> {
            neighbours.remove(client.id());
            return neighbours.isEmpty() ? null : neighbours;
        });
    }

    /** The record of that id; null if there is none. */
    @Nullable
    ClientRecord get(long id) {
        return byId.get(id);
    }

    /** Renews the lease of a client that was heard of. */
    void renew(ClientRecord record, long nowNanos) {
        record.renewedNanos = nowNanos;
        Client client = record.client;
        byId.putLast(client.id(), record);
        LinkedHashMap<Long, ClientRecord> neighbours = byAddress.get(client.address());
        if (neighbours != null) {
            neighbours.putLast(client.id(), record);
        }
    }

    List<Client> all() {
        return byId.values().stream().map(record -> record.client).toList();
    }

    int size() {
        return byId.size();
    }

    /**
     * The first dispensable client of an address, or null: one that is not confirmed, one whose lease has run out, or
     * one without state that has been silent for half a lease.
     *
     * @param except a client that must stay, or null
     */
    @Nullable
    Client dispensable(long nowNanos, ClientAddress address, @Nullable Client except) {
        Client idle = null;
        int looked = 0;
        for (ClientRecord record : byAddress.getOrDefault(address, NOBODY).values()) {
            if (record.client == except || record.requestsUnderWay > 0) {
                continue;
            }
            if (!record.confirmed || record.isExpired(nowNanos, leaseNanos)) {
                return record.client;
            }
            if (idle == null && !holdsState.test(record.client) && record.isExpired(nowNanos, leaseNanos / 2)) {
                idle = record.client;
            }
            if (++looked >= MAX_LOOKED_AT) {
                break;
            }
        }
        return idle;
    }

    /** The client whose lease ran out first; null if all leases are valid. */
    @Nullable
    Client silentForLongest(long nowNanos, @Nullable Client except) {
        for (ClientRecord record : byId.values()) {
            if (record.client != except && record.isExpired(nowNanos, leaseNanos)) {
                return record.client;
            }
            if (record.requestsUnderWay == 0) {
                // All clients after this one were heard of later.
                return null;
            }
        }
        return null;
    }

    /**
     * Clients whose lease has run out and that have no state, and those that have been silent for longer than
     * {@code courtesyNanos} says.
     */
    List<Client> silent(long nowNanos, ToLongFunction<Client> courtesyNanos) {
        List<Client> silent = new ArrayList<>();
        for (ClientRecord record : byId.values()) {
            if (record.requestsUnderWay == 0 && !record.isExpired(nowNanos, leaseNanos)) {
                break;
            }
            if (record.isExpired(
                    nowNanos,
                    !holdsState.test(record.client) ? leaseNanos : courtesyNanos.applyAsLong(record.client))) {
                silent.add(record.client);
            }
        }
        return silent;
    }
}
