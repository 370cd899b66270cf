package org.warpnfs.nfs.v4.state;

import com.google.common.collect.Lists;
import java.io.IOException;
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
import org.warpnfs.nfs.v4.state.recovery.RecoveryJournal;

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
     * @param journaled false if the recovery journal could not be told: after a restart the client might reclaim what
     *     it had
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
     * What was taken away.
     *
     * @param first the first of them, as they were before
     * @param count how many there were
     */
    public record Unlocked(List<LockRow> first, int count) {
        public Unlocked {
            first = List.copyOf(first);
        }
    }

    /**
     * Lets a client go with everything it has, as if its lease had run out and someone wanted all of it. It learns that
     * from BADSESSION and STALE_CLIENTID, in NFSv4.0 from EXPIRED, and may introduce itself again. Its files are closed
     * soon after, on another thread. Returns once the journal has it: a server that is started again then lets it
     * reclaim nothing, which others may have taken meanwhile.
     *
     * @param id as {@link StateRow.ClientRow#id} has it
     * @return null if there is no such client
     * @throws IllegalArgumentException if that is no id
     */
    public @Nullable Evicted evict(String id) {
        long number = StateQuery.parse("client", id);
        RecoveryJournal.@Nullable Entry[] removal = {null};
        Optional<Evicted> evicted = core.locked(() -> {
            Optional<Client> client = Optional.ofNullable(core.clients.byId(number));
            Optional<Evicted> had = client.map(this::describe);
            client.ifPresent(known -> {
                // First, so that what stands for it in the journal is known.
                removal[0] = core.recovery.depart(known);
                core.letGo(known);
            });
            return had;
        });
        core.settleGrace();
        return evicted.map(had -> isWritten(removal[0]) ? had : had.notJournaled())
                .orElse(null);
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
                core.delegations.of(client).size(),
                core.sessions.connectionsOf(client),
                true);
    }

    private boolean isWritten(RecoveryJournal.@Nullable Entry removal) {
        try {
            if (removal != null) {
                core.journal.await(removal);
            }
            return true;
        } catch (IOException e) {
            // The journal has said so in the log.
            return false;
        }
    }

    /**
     * Takes the byte-range locks away that are meant. Their stateids are answered with ADMIN_REVOKED from now on, and
     * SEQUENCE tells the client so (SEQ4_STATUS_ADMIN_STATE_REVOKED), until it has freed them. However many there are,
     * {@value StateQuery#MAX_LIMIT} are looked at at once.
     *
     * @param client of that client alone, or of all
     * @param meant is asked without the lock
     * @param most of {@link Unlocked#first}
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
     * Ends the grace period now. Returns once the journal has it, or could not write it: then it runs on until it can.
     *
     * @return how many clients had not come back; -1 if no grace period was running
     */
    public int endGrace(long nowNanos) {
        core.settleGrace(nowNanos);
        int missing = core.locked(core.grace::endNow);
        core.settleGrace();
        return missing;
    }
}
