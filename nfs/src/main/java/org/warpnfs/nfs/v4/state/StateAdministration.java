package org.warpnfs.nfs.v4.state;

import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.listing.ShownName;
import org.warpnfs.nfs.v4.state.listing.StatePage;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.listing.StateRow;
import org.warpnfs.nfs.v4.state.listing.StateRow.LockRow;

/** Actions of administrators on clients' state. See {@link StateTable}. */
public final class StateAdministration {
    private final StateCore core;
    private final StateListings listings;

    StateAdministration(StateCore core, StateListings listings) {
        this.core = core;
        this.listings = listings;
    }

    /**
     * A client that was removed.
     *
     * @param opens that it had
     * @param locks byte ranges that it had locked
     * @param address from which it registered, an IPv4 address or an IPv6 /64 network
     * @param sessionless true for NFSv4.0, whose clients have no connections that the server knows of
     * @param connections that its sessions were bound to
     * @param journaled false if the removal could not be written to the recovery journal: until it is, nobody else gets
     *     what the client had, since the client might reclaim it after a restart
     */
    public record Evicted(
            String client,
            String owner,
            String address,
            boolean sessionless,
            int sessions,
            int opens,
            int locks,
            int delegations,
            Set<Object> connections,
            boolean journaled) {
        public Evicted {
            connections = Set.copyOf(connections);
        }

        private Evicted notJournaled() {
            return new Evicted(
                    client, owner, address, sessionless, sessions, opens, locks, delegations, connections, false);
        }
    }

    /**
     * Locks that were revoked.
     *
     * @param first the first of them, as they were before
     * @param count number of all of them
     */
    public record Unlocked(List<LockRow> first, int count) {
        public Unlocked {
            first = List.copyOf(first);
        }
    }

    /**
     * Removes a client with all its state, as if its lease had run out and all of it conflicted with others. The client
     * learns of it from BADSESSION and STALE_CLIENTID, in NFSv4.0 from EXPIRED, and may register again. Its files are
     * closed soon after, on another thread. This method returns once the removal is in the journal. So after a restart
     * the server does not let the client reclaim state that others may have taken meanwhile.
     *
     * @param id as in {@link StateRow.ClientRow#id}
     * @return null if there is no such client
     * @throws IllegalArgumentException if {@code id} is not an id
     */
    public @Nullable Evicted evict(String id) {
        long number = StateQuery.parse("client", id);
        Optional<Client> client = core.locked(() -> Optional.ofNullable(core.clients.byId(number)));
        if (client.isEmpty()) {
            return null;
        }
        Evicted evicted = core.locked(() -> {
            Evicted had = describe(client.get());
            core.letGo(client.get());
            return had;
        });
        core.settleGrace();
        return core.isForgotten(client.get()) ? evicted : evicted.notJournaled();
    }

    private Evicted describe(Client client) {
        return new Evicted(
                StateQuery.hex(client.id()),
                ShownName.of(client.owner()),
                client.address().toString(),
                client.isSessionless(),
                core.sessions.of(client).size(),
                core.files.of(client).size(),
                core.locks.locksOf(client),
                core.delegations.held().of(client).size(),
                core.sessions.connectionsOf(client),
                true);
    }

    /**
     * Revokes the byte-range locks that match. Until the client has freed a revoked stateid, operations with it answer
     * ADMIN_REVOKED, and SEQUENCE tells the client so (SEQ4_STATUS_ADMIN_STATE_REVOKED). {@value StateQuery#MAX_LIMIT}
     * rows are examined at once, however many there are.
     *
     * @param client id of the only client to consider, or null for all
     * @param meant selects the locks; called without the lock of the state
     * @param most limit of {@link Unlocked#first}
     */
    public Unlocked unlock(@Nullable String client, Predicate<LockRow> meant, int most) {
        List<LockRow> first = new ArrayList<>();
        int count = 0;
        String after = null;
        do {
            StatePage<LockRow> page = listings.locks(new StateQuery(client, after, StateQuery.MAX_LIMIT));
            List<LockRow> found = page.rows().stream()
                    .filter(row -> row.rangeCount() > 0 && meant.test(row))
                    .toList();
            for (List<LockRow> portion : Lists.partition(found, StateCore.PORTION)) {
                List<LockRow> taken =
                        core.locked(() -> portion.stream().filter(this::revoke).toList());
                count += taken.size();
                first.addAll(taken.subList(0, Math.min(taken.size(), most - first.size())));
            }
            after = page.next();
        } while (after != null);
        return new Unlocked(first, count);
    }

    private boolean revoke(LockRow row) {
        return core.locks.revoke(StateQuery.parse("id", row.id()));
    }

    /**
     * Ends the grace period now. Returns once the end is in the journal or could not be written. In the latter case the
     * grace period continues until it can be.
     *
     * @return number of clients that had not reclaimed; -1 if no grace period was running
     */
    public int endGrace(long nowNanos) {
        core.settleGrace(nowNanos);
        int missing = core.locked(core.grace::endNow);
        core.settleGrace();
        return missing;
    }
}
