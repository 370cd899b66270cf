package org.warpnfs.nfs.v4.state;

import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.StateRow.LockRow;

/** What an administrator takes from clients. See {@link StateTable}. */
public final class StateAdministration {
    private final StateCore core;
    private final StateListings listings;

    StateAdministration(StateCore core, StateListings listings) {
        this.core = core;
        this.listings = listings;
    }

    /**
     * A client that was let go.
     *
     * @param opens that it had
     * @param locks byte ranges
     * @param address where it introduced itself from, an IPv4 address or an IPv6 /64 network
     * @param sessionless true for NFSv4.0, whose clients have no connections that the server could know
     * @param connections that its sessions were bound to
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
            Set<Object> connections) {
        public Evicted {
            connections = Set.copyOf(connections);
        }
    }

    /**
     * Lets a client go with everything it has, as if its lease had run out and someone wanted all of it. It learns that from BADSESSION and STALE_CLIENTID, in NFSv4.0 from
     * EXPIRED, and may introduce itself again. Its files are closed soon after, on another thread.
     *
     * @param id as {@link StateRow.ClientRow#id} has it
     * @return null if there is no such client
     * @throws IllegalArgumentException if that is no id
     */
    public @Nullable Evicted evict(String id) {
        long number = StateQuery.parse("client", id);
        Evicted evicted = core.look(() -> {
            Client client = core.clients.byId(number);
            if (client == null) {
                return null;
            }
            Evicted had = new Evicted(
                    StateQuery.hex(number),
                    ShownName.of(client.owner()),
                    client.address().toString(),
                    client.isSessionless(),
                    client.sessions.size(),
                    client.opens.size(),
                    client.lockCount,
                    client.delegations.size(),
                    core.clients.connectionsOf(client));
            core.clients.remove(client);
            if (client.confirmed) {
                core.grace.complete(client.owner());
            }
            return had;
        });
        core.settleGrace();
        return evicted;
    }

    /**
     * Takes the byte-range locks away that are meant. Their stateids are answered with ADMIN_REVOKED from now on, and SEQUENCE tells the client so
     * (SEQ4_STATUS_ADMIN_STATE_REVOKED), until it has freed them.
     *
     * @param client of that client alone, or of all
     * @param meant is asked without the lock
     * @return what was taken, as it was before
     */
    public List<LockRow> unlock(@Nullable String client, Predicate<LockRow> meant) {
        List<LockRow> found = new ArrayList<>();
        String after = null;
        do {
            StatePage<LockRow> page = listings.locks(new StateQuery(client, after, StateQuery.MAX_LIMIT));
            page.rows().stream()
                    .filter(row -> row.rangeCount() > 0 && meant.test(row))
                    .forEach(found::add);
            after = page.next();
        } while (after != null);
        List<LockRow> taken = new ArrayList<>();
        for (List<LockRow> portion : Lists.partition(found, StateCore.PORTION)) {
            taken.addAll(core.look(() -> portion.stream().filter(this::revoke).toList()));
        }
        return List.copyOf(taken);
    }

    private boolean revoke(LockRow row) {
        StateEntry entry = core.states.byNumber(StateQuery.parse("id", row.id()));
        if (!(entry instanceof LockState lockState) || lockState.revoked || lockState.client().gone) {
            return false;
        }
        core.locks.revoke(lockState);
        return true;
    }

    /**
     * Ends the grace period now. Returns once the journal has it, or could not write it: then it runs on until it can.
     *
     * @return how many clients had not come back; -1 if no grace period was running
     */
    public int endGrace(long nowNanos) {
        core.settleGrace(nowNanos);
        int missing = Objects.requireNonNull(core.look(core.grace::endNow));
        core.settleGrace();
        return missing;
    }
}
