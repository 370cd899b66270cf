package org.warpnfs.nfs.v4.state.client;

import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.state.core.Shares;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Clients and their leases. Each client owner has at most one confirmed and one unconfirmed record (RFC 8881, section
 * 18.35.5):
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
 * CREATE_SESSION confirms an unconfirmed record ({@link SessionTable}) and removes the one that it replaces with all
 * its state. Guarded by the lock of the state.
 */
public final class ClientTable {
    /** State of clients in tables that this one does not know. */
    public interface Holdings {
        /** True if the client has opens, possibly with locks, or delegations. */
        boolean isAny(Client client);

        /** True if what the client has keeps out others whom this server does not know, so that they cannot ask. */
        boolean hindersStrangers(Client client);

        /**
         * Called when a client of the same name, but from another address, replaces one whose lease has not run out.
         */
        void replaced(Client old, Client by);

        /** Called when a client is removed. From then on no lookup finds its state. */
        void depart(Client client);
    }

    /** How long a silent client may hinder strangers, in leases. */
    private static final int HINDERING_LEASES = 2;

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

    /** @param instance of the server, which is part of its client ids */
    public ClientTable(StateLimits limits, long leaseNanos, int instance, Holdings holdings) {
        this.leaseNanos = leaseNanos;
        this.courtesyNanos = leaseNanos * limits.courtesyLeases();
        this.instance = instance;
        this.holdings = holdings;
        this.records = new LeaseOrder(leaseNanos, holdings::isAny);
        this.shares = new Shares(limits.maxClients());
    }

    /** The record of a client; null if it was removed. */
    private @Nullable ClientRecord recordOf(Client client) {
        ClientRecord record = records.get(client.id());
        return record != null && record.client == client ? record : null;
    }

    /** Renews the lease of a client that was heard of. Does nothing if it was removed. */
    public void renew(Client client, long nowNanos) {
        ClientRecord record = recordOf(client);
        if (record != null) {
            records.renew(record, nowNanos);
        }
    }

    /** Begins a request of the client. Its lease cannot run out before {@link #ended}. */
    public void began(Client client) {
        ClientRecord record = recordOf(client);
        if (record != null) {
            record.requestsUnderWay++;
            record.requests++;
        }
    }

    /**
     * Ends a request of the client; called as often as {@link #began}. Does nothing if the client was removed
     * meanwhile.
     */
    public void ended(Client client, long nowNanos) {
        ClientRecord record = recordOf(client);
        if (record != null) {
            record.requestsUnderWay--;
            records.renew(record, nowNanos);
        }
    }

    /** EXCHANGE_ID. */
    public ExchangedId exchangeId(long nowNanos, Opaque owner, long verifier, Sender sender, boolean update)
            throws Nfs4Exception {
        if (update) {
            return exchanged(updatable(confirmed.get(owner), verifier, sender.principal()));
        }
        ClientRecord old = takenBy(nowNanos, owner, verifier, sender, false);
        if (old != null && old.client.verifier() == verifier) {
            records.renew(old, nowNanos);
            return exchanged(old);
        }
        removeUnconfirmed(owner);
        return exchanged(newClient(nowNanos, owner, verifier, sender, false));
    }

    /**
     * The confirmed client of that name, if it has the caller's principal and kind of NFSv4. Any other confirmed client
     * of that name is removed if it has no state or no lease. So is one that would have restarted, if the caller's
     * connection is less protected than its own: who only knows its name must not end its opens and locks.
     *
     * @throws Nfs4Exception CLID_INUSE if it has both
     */
    @Nullable
    ClientRecord takenBy(long nowNanos, Opaque owner, long verifier, Sender sender, boolean sessionless)
            throws Nfs4Exception {
        ClientRecord old = confirmed.get(owner);
        if (old == null) {
            return null;
        }
        boolean isItself = old.client.verifier() == verifier || !sender.isWeakerThan(old.client.security());
        if (isItself
                && old.client.principal().equals(sender.principal())
                && old.client.isSessionless() == sessionless) {
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
     * Adds a record that is not confirmed.
     *
     * @throws Nfs4Exception SERVERFAULT, in NFSv4.0 RESOURCE, if the address has used up its share; not DELAY, which
     *     clients repeat until it succeeds
     */
    ClientRecord newClient(long nowNanos, Opaque owner, long verifier, Sender sender, boolean sessionless)
            throws Nfs4Exception {
        if (!makeRoom(nowNanos, shares, sender.address(), null)) {
            shares.refuse();
            throw Nfs4Exception.of(sessionless ? Nfs4Status.RESOURCE : Nfs4Status.SERVERFAULT);
        }
        Client client = new Client(newId(), owner, verifier, sender, sessionless);
        ClientRecord record = new ClientRecord(client, nowNanos);
        records.add(record);
        shares.take(sender.address(), 1);
        unconfirmed.put(owner, record);
        return record;
    }

    /**
     * A new id that cannot be guessed: whoever knows a client's id could create a session for it and act in its place
     * (RFC 8881, section 18.36.3).
     */
    private long newId() {
        long id;
        do {
            id = (long) instance << 32 | Integer.toUnsignedLong(random.nextInt());
        } while (records.get(id) != null);
        return id;
    }

    /** All clients at present. */
    public List<Client> all() {
        return records.all();
    }

    /** The client of that id; null if there is none. */
    public @Nullable Client byId(long id) {
        ClientRecord record = records.get(id);
        return record == null ? null : record.client;
    }

    @Nullable
    ClientRecord recordById(long id) {
        return records.get(id);
    }

    /** True if this instance of the server may have given that id out. */
    boolean isOfThisInstance(long id) {
        return (int) (id >>> 32) == instance;
    }

    /** Confirms a record. The confirmed record that it replaces is removed with all its state. */
    void confirm(ClientRecord record, long nowNanos) {
        if (record.confirmed) {
            return;
        }
        Opaque owner = record.client.owner();
        ClientRecord old = confirmed.get(owner);
        if (old != null) {
            if (!old.client.address().equals(record.client.address()) && !old.isExpired(nowNanos, leaseNanos)) {
                holdings.replaced(old.client, record.client);
            }
            remove(old.client);
        }
        unconfirmed.remove(owner);
        confirmed.put(owner, record);
        record.confirmed = true;
    }

    /** True if the client is confirmed and was not removed. */
    public boolean isConfirmed(Client client) {
        ClientRecord record = recordOf(client);
        return record != null && record.confirmed;
    }

    /** True if the lease of the client has run out. A request in progress keeps it alive. */
    public boolean isExpired(Client client, long nowNanos) {
        ClientRecord record = recordOf(client);
        return record == null || record.isExpired(nowNanos, leaseNanos);
    }

    /** Activity of the client so far; none if it was removed. */
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

    /** Removes a client that was silent for too long. */
    public void expire(Client client) {
        expired++;
        remove(client);
    }

    /** Removes a client with all its state. */
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
     * Makes room for the address to take one more of what {@code of} counts, by removing dispensable clients. If the
     * address has used up its share, they are its own. If nothing is left for anyone, they are those of the address
     * that has most, and then the client that has been silent for longest.
     *
     * @param except a client that must stay, or null
     * @return false if there is no room
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

    /**
     * Removes clients whose lease has run out and that have no state, those that hinder strangers and have been silent
     * for a second lease, and those that have been silent beyond their courtesy time. Goes on where it stopped.
     *
     * @param most how many clients to look at
     * @return true if there are more to look at
     */
    public boolean sweep(long nowNanos, int most) {
        records.silent(
                        nowNanos,
                        client -> holdings.hindersStrangers(client)
                                ? Math.min(HINDERING_LEASES * leaseNanos, courtesyNanos)
                                : courtesyNanos,
                        most)
                .forEach(this::expire);
        return records.isSweeping();
    }

    /** How often an address was refused another client. */
    public long refused() {
        return shares.refused();
    }

    /** Number of clients that were removed because they were silent for too long. */
    public long expired() {
        return expired;
    }

    /** Number of clients. */
    public int count() {
        return records.size();
    }
}
