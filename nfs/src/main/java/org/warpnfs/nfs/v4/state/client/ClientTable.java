package org.warpnfs.nfs.v4.state.client;

import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Shares;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Clients and their leases. One record per client owner may be confirmed and one unconfirmed beside it (RFC 8881,
 * section 18.35.5):
 *
 * <pre>
 *   EXCHANGE_ID finds           update  verifier  principal  outcome
 *   nothing                     no      -         -          new unconfirmed record
 *   an unconfirmed record       no      -         -          replaced by a new one
 *   a confirmed record          no      same      same       the record again, CONFIRMED_R
 *   a confirmed record          no      other     same       a new unconfirmed record beside it: the client restarted
 *   a confirmed record          no      -         other      CLID_INUSE while it has a lease and state, else as nothing
 *   no confirmed record         yes     -         -          NOENT
 *   a confirmed record          yes     other     -          NOT_SAME
 *   a confirmed record          yes     same      other      PERM
 *   a confirmed record          yes     same      same       the record again, CONFIRMED_R
 * </pre>
 *
 * CREATE_SESSION confirms an unconfirmed record ({@link SessionTable}) and lets the one it replaces go, with all its
 * state. Guarded by the lock of the state.
 */
public final class ClientTable {
    /** What clients hold, in tables that this one does not know. */
    public interface Holdings {
        /** True if the client has opens, and locks with them, or delegations. */
        boolean isAny(Client client);

        /** The client is gone: nothing finds what it held any more. */
        void depart(Client client);
    }

    private final long leaseNanos;
    private final long courtesyNanos;
    private final int instance;
    private final Holdings holdings;
    private final SecureRandom random = new SecureRandom();
    private final LeaseOrder records;
    private final Map<Opaque, ClientRecord> confirmed = new HashMap<>();
    private final Map<Opaque, ClientRecord> unconfirmed = new HashMap<>();
    private final Shares shares;
    private long expired;

    /** @param instance of the server, which its client ids carry */
    public ClientTable(StateLimits limits, long leaseNanos, int instance, Holdings holdings) {
        this.leaseNanos = leaseNanos;
        this.courtesyNanos = leaseNanos * limits.courtesyLeases();
        this.instance = instance;
        this.holdings = holdings;
        this.records = new LeaseOrder(leaseNanos, holdings::isAny);
        this.shares = new Shares(limits.maxClients());
    }

    /** Null if the client has been let go. */
    private @Nullable ClientRecord recordOf(Client client) {
        ClientRecord record = records.get(client.id());
        return record != null && record.client == client ? record : null;
    }

    /** The client is heard of: its lease begins anew. Nothing if it has been let go. */
    public void renew(Client client, long nowNanos) {
        ClientRecord record = recordOf(client);
        if (record != null) {
            records.renew(record, nowNanos);
        }
    }

    /** A request of the client begins: its lease runs on until {@link #ended}. */
    public void began(Client client) {
        ClientRecord record = recordOf(client);
        if (record != null) {
            record.requestsUnderWay++;
            record.requests++;
        }
    }

    /** A request of the client has ended, as often as it began. Nothing if the client has been let go meanwhile. */
    public void ended(Client client, long nowNanos) {
        ClientRecord record = recordOf(client);
        if (record != null) {
            record.requestsUnderWay--;
            records.renew(record, nowNanos);
        }
    }

    /** EXCHANGE_ID. */
    public ExchangedId exchangeId(
            long nowNanos, Opaque owner, long verifier, Principal principal, boolean update, ClientAddress address)
            throws Nfs4Exception {
        if (update) {
            return exchanged(updatable(confirmed.get(owner), verifier, principal));
        }
        ClientRecord old = takenBy(nowNanos, owner, principal, false);
        if (old != null && old.client.verifier() == verifier) {
            records.renew(old, nowNanos);
            return exchanged(old);
        }
        removeUnconfirmed(owner);
        return exchanged(newClient(nowNanos, owner, verifier, principal, false, address));
    }

    /**
     * The confirmed client of that name, if it is the caller's. One of another principal, or that speaks the other kind
     * of NFSv4, is let go unless it holds something.
     *
     * @throws Nfs4Exception CLID_INUSE if it does
     */
    @Nullable
    ClientRecord takenBy(long nowNanos, Opaque owner, Principal principal, boolean sessionless) throws Nfs4Exception {
        ClientRecord old = confirmed.get(owner);
        if (old == null || (old.client.principal().equals(principal) && old.client.isSessionless() == sessionless)) {
            return old;
        }
        if (holdings.isAny(old.client) && !old.isExpired(nowNanos, leaseNanos)) {
            throw Nfs4Exception.of(Nfs4Status.CLID_INUSE);
        }
        remove(old.client);
        return null;
    }

    void removeUnconfirmed(Opaque owner) {
        ClientRecord half = unconfirmed.get(owner);
        if (half != null) {
            remove(half.client);
        }
    }

    private static ClientRecord updatable(@Nullable ClientRecord old, long verifier, Principal principal)
            throws Nfs4Exception {
        if (old == null || old.client.isSessionless()) {
            throw Nfs4Exception.of(Nfs4Status.NOENT);
        }
        if (old.client.verifier() != verifier) {
            throw Nfs4Exception.of(Nfs4Status.NOT_SAME);
        }
        if (!old.client.principal().equals(principal)) {
            throw Nfs4Exception.of(Nfs4Status.PERM);
        }
        return old;
    }

    private static ExchangedId exchanged(ClientRecord record) {
        return new ExchangedId(record.client.id(), record.createSequence + 1, record.confirmed);
    }

    /**
     * A new record, not confirmed.
     *
     * @throws Nfs4Exception SERVERFAULT, in NFSv4.0 RESOURCE, if the address has more than its share: unlike DELAY that
     *     ends
     */
    ClientRecord newClient(
            long nowNanos, Opaque owner, long verifier, Principal principal, boolean sessionless, ClientAddress address)
            throws Nfs4Exception {
        if (!makeRoom(nowNanos, shares, address, null)) {
            shares.refuse();
            throw Nfs4Exception.of(sessionless ? Nfs4Status.RESOURCE : Nfs4Status.SERVERFAULT);
        }
        Client client = new Client(newId(), owner, verifier, principal, sessionless, address);
        ClientRecord record = new ClientRecord(client, nowNanos);
        records.add(record);
        shares.take(address, 1);
        unconfirmed.put(owner, record);
        return record;
    }

    /**
     * Not to be guessed: whoever names a client's id may make a session of it, and act in its place (RFC 8881, section
     * 18.36.3).
     */
    private long newId() {
        long id;
        do {
            id = (long) instance << 32 | Integer.toUnsignedLong(random.nextInt());
        } while (records.get(id) != null);
        return id;
    }

    /** All there are now. */
    public List<Client> all() {
        return records.all();
    }

    /** Null if there is none. */
    public @Nullable Client byId(long id) {
        ClientRecord record = records.get(id);
        return record == null ? null : record.client;
    }

    @Nullable
    ClientRecord recordById(long id) {
        return records.get(id);
    }

    /** True if this instance of the server has given that id, or may have. */
    boolean isOfThisInstance(long id) {
        return (int) (id >>> 32) == instance;
    }

    /** The record holds from now on, and the one it replaces goes with all its state. */
    void confirm(ClientRecord record) {
        if (record.confirmed) {
            return;
        }
        Opaque owner = record.client.owner();
        ClientRecord old = confirmed.get(owner);
        if (old != null) {
            remove(old.client);
        }
        unconfirmed.remove(owner);
        confirmed.put(owner, record);
        record.confirmed = true;
    }

    /** True if the client got beyond EXCHANGE_ID or SETCLIENTID, and has not been let go. */
    public boolean isConfirmed(Client client) {
        ClientRecord record = recordOf(client);
        return record != null && record.confirmed;
    }

    /** True if the lease of the client ran out; a request that still executes keeps it alive. */
    public boolean isExpired(Client client, long nowNanos) {
        ClientRecord record = recordOf(client);
        return record == null || record.isExpired(nowNanos, leaseNanos);
    }

    /** What the client has done so far; nothing if it has been let go. */
    public ClientActivity activityOf(Client client, long nowNanos) {
        ClientRecord record = recordOf(client);
        return record == null
                ? new ClientActivity(false, true, 0, 0, 0)
                : new ClientActivity(
                        record.confirmed,
                        record.isExpired(nowNanos, leaseNanos),
                        Math.max(0, nowNanos - record.renewedNanos),
                        record.requests,
                        record.requestsUnderWay);
    }

    /** Lets a client go that was silent for too long. */
    public void expire(Client client) {
        expired++;
        remove(client);
    }

    /** Lets a client go, with everything it has. */
    public void remove(Client client) {
        ClientRecord record = recordOf(client);
        if (record == null) {
            return;
        }
        client.letGo();
        records.remove(client);
        shares.giveBack(client.address(), 1);
        confirmed.remove(client.owner(), record);
        unconfirmed.remove(client.owner(), record);
        holdings.depart(client);
    }

    /**
     * Makes sure that the address may have one more, at the cost of what nobody misses: of the address itself if it has
     * its share, else, when there is none left for anyone, of the address that has most, and at last of whoever is
     * silent for the longest.
     *
     * @param except a client that stays, or null
     * @return false if it may not
     */
    public boolean makeRoom(long nowNanos, Shares of, ClientAddress address, @Nullable Client except) {
        while (!of.hasRoomFor(address, 1)) {
            ClientAddress dear = of.left() > 0 ? address : of.largest();
            Client victim = dear == null ? null : records.dispensable(nowNanos, dear, except);
            if (victim == null && of.left() == 0) {
                victim = records.silentForLongest(nowNanos, except);
            }
            if (victim == null) {
                return false;
            }
            remove(victim);
        }
        return true;
    }

    /** Lets go of clients that never got further than EXCHANGE_ID, hold nothing, or are silent beyond all courtesy. */
    public void sweep(long nowNanos) {
        records.silent(nowNanos, courtesyNanos).forEach(this::expire);
    }

    /** How often an address was refused another client. */
    public long refused() {
        return shares.refused();
    }

    /** How many clients were let go since they were silent for too long. */
    public long expired() {
        return expired;
    }

    /** How many there are. */
    public int count() {
        return records.size();
    }
}
