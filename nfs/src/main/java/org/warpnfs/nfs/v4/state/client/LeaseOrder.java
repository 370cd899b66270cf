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
 * for longest comes first, so dispensable clients are found at the front. All of them are a list through their records,
 * so that a sweep can stop and go on where it was. Guarded by the lock of the state.
 */
final class LeaseOrder {
    private static final LinkedHashMap<Long, ClientRecord> NOBODY = new LinkedHashMap<>();
    private static final int MAX_LOOKED_AT = 64;

    private final long leaseNanos;
    private final Predicate<Client> holdsState;
    private final Map<Long, ClientRecord> byId = new HashMap<>();
    private @Nullable ClientRecord first;
    private @Nullable ClientRecord last;
    /** Where the next part of a sweep begins; null if none is under way. */
    private @Nullable ClientRecord toSweep;

    private final Map<ClientAddress, LinkedHashMap<Long, ClientRecord>> byAddress = new HashMap<>();

    /** @param holdsState true for clients that have opens or delegations */
    LeaseOrder(long leaseNanos, Predicate<Client> holdsState) {
        this.leaseNanos = leaseNanos;
        this.holdsState = holdsState;
    }

    void add(ClientRecord record) {
        Client client = record.client;
        byId.put(client.id(), record);
        append(record);
        byAddress.computeIfAbsent(client.address(), _ -> new LinkedHashMap<>(2)).put(client.id(), record);
    }

    void remove(Client client) {
        ClientRecord record = byId.remove(client.id());
        if (record != null) {
            unlink(record);
        }
        byAddress.computeIfPresent(client.address(), (_, neighbours) -> {
            neighbours.remove(client.id());
            return neighbours.isEmpty() ? null : neighbours;
        });
    }

    private void append(ClientRecord record) {
        record.before = last;
        if (last == null) {
            first = record;
        } else {
            last.after = record;
        }
        last = record;
    }

    private void unlink(ClientRecord record) {
        ClientRecord before = record.before;
        ClientRecord after = record.after;
        if (toSweep == record) {
            toSweep = after;
        }
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        record.before = null;
        record.after = null;
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
        unlink(record);
        append(record);
        LinkedHashMap<Long, ClientRecord> neighbours = byAddress.get(client.address());
        if (neighbours != null) {
            neighbours.putLast(client.id(), record);
        }
    }

    List<Client> all() {
        List<Client> all = new ArrayList<>(byId.size());
        for (ClientRecord record = first; record != null; record = record.after) {
            all.add(record.client);
        }
        return all;
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
        for (ClientRecord record = first; record != null; record = record.after) {
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
     * The next clients whose lease has run out and that have no state, and those that have been silent for longer than
     * {@code courtesyNanos} says. A sweep begins with the one that has been silent for longest.
     *
     * @param most how many clients to look at; {@link #isSweeping} says whether there are more
     */
    List<Client> silent(long nowNanos, ToLongFunction<Client> courtesyNanos, int most) {
        List<Client> silent = new ArrayList<>();
        ClientRecord record = toSweep == null ? first : toSweep;
        for (int left = most; left > 0 && record != null; left--) {
            if (record.requestsUnderWay == 0 && !record.isExpired(nowNanos, leaseNanos)) {
                record = null;
                break;
            }
            if (record.isExpired(
                    nowNanos,
                    !holdsState.test(record.client) ? leaseNanos : courtesyNanos.applyAsLong(record.client))) {
                silent.add(record.client);
            }
            record = record.after;
        }
        toSweep = record;
        return silent;
    }

    /** True if a sweep has stopped before its end. */
    boolean isSweeping() {
        return toSweep != null;
    }
}
