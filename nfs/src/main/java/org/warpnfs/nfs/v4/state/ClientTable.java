package org.warpnfs.nfs.v4.state;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Clients, their sessions and slots. One record per client owner may be confirmed and one unconfirmed beside it (RFC 8881 section
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
 * CREATE_SESSION confirms an unconfirmed record and lets the one it replaces go, with all its state. Guarded by the lock of
 * {@link StateTable}.
 */
final class ClientTable {
    private static final LinkedHashMap<Long, Client> NOBODY = new LinkedHashMap<>();
    /** Who was silent for the longest comes first: what is dispensable is found there, if anywhere. */
    private static final int MAX_LOOKED_AT = 64;

    private final StateLimits limits;
    private final long leaseNanos;
    private final int instance;
    private final Grace grace;
    private final Consumer<Client> stateOfGoneClient;
    private final Consumer<CallbackCall> outbox;
    private final SecureRandom random = new SecureRandom();

    /** The one that has been silent for the longest first, as in {@link #byAddress}. */
    private final LinkedHashMap<Long, Client> byId = new LinkedHashMap<>();

    private final Map<ClientAddress, LinkedHashMap<Long, Client>> byAddress = new HashMap<>();
    private final Map<Opaque, Client> confirmed = new HashMap<>();
    private final Map<Opaque, Client> unconfirmed = new HashMap<>();
    private final Map<SessionId, Session> sessions = new HashMap<>();
    final SlotUse slots = new SlotUse();
    private final Map<Object, Set<Session>> byConnection = new HashMap<>();
    private final Shares clientShares;
    private final Shares sessionShares;
    private final ReplyMemory replies;
    private long connectionsNotBound;
    private long expired;

    ClientTable(
            StateLimits limits,
            long leaseNanos,
            Grace grace,
            int instance,
            Consumer<Client> stateOfGoneClient,
            Consumer<CallbackCall> outbox) {
        this.limits = limits;
        this.leaseNanos = leaseNanos;
        this.grace = grace;
        this.instance = instance;
        this.stateOfGoneClient = stateOfGoneClient;
        this.outbox = outbox;
        this.clientShares = new Shares(limits.maxClients());
        this.sessionShares = new Shares(limits.maxSessions());
        this.replies = new ReplyMemory(limits.maxReplyCacheBytes());
    }

    ReplyMemory replies() {
        return replies;
    }

    /** The client is heard of: its lease begins anew. */
    void renew(Client client, long nowNanos) {
        client.renewedNanos = nowNanos;
        LinkedHashMap<Long, Client> neighbours = byAddress.get(client.address());
        if (!client.gone && neighbours != null) {
            byId.putLast(client.id(), client);
            neighbours.putLast(client.id(), client);
        }
    }

    ExchangedId exchangeId(
            long nowNanos, Opaque owner, long verifier, Principal principal, boolean update, ClientAddress address)
            throws Nfs4Exception {
        if (update) {
            return exchanged(updatable(confirmed.get(owner), verifier, principal));
        }
        Client old = takenBy(nowNanos, owner, principal, false);
        if (old != null && old.verifier() == verifier) {
            renew(old, nowNanos);
            return exchanged(old);
        }
        removeUnconfirmed(owner);
        return exchanged(newClient(nowNanos, owner, verifier, principal, false, address));
    }

    /**
     * The confirmed client of that name, if it is the caller's. One of another principal, or that speaks the other kind of NFSv4, is let
     * go unless it holds something.
     *
     * @throws Nfs4Exception CLID_INUSE if it does
     */
    @Nullable
    Client takenBy(long nowNanos, Opaque owner, Principal principal, boolean sessionless) throws Nfs4Exception {
        Client old = confirmed.get(owner);
        if (old == null || (old.principal().equals(principal) && old.isSessionless() == sessionless)) {
            return old;
        }
        if (old.hasState() && !old.isExpired(nowNanos, leaseNanos)) {
            throw Nfs4Exception.of(Nfs4Status.CLID_INUSE);
        }
        remove(old);
        return null;
    }

    void removeUnconfirmed(Opaque owner) {
        Client half = unconfirmed.get(owner);
        if (half != null) {
            remove(half);
        }
    }

    private static Client updatable(@Nullable Client old, long verifier, Principal principal) throws Nfs4Exception {
        if (old == null || old.isSessionless()) {
            throw Nfs4Exception.of(Nfs4Status.NOENT);
        }
        if (old.verifier() != verifier) {
            throw Nfs4Exception.of(Nfs4Status.NOT_SAME);
        }
        if (!old.principal().equals(principal)) {
            throw Nfs4Exception.of(Nfs4Status.PERM);
        }
        return old;
    }

    private static ExchangedId exchanged(Client client) {
        return new ExchangedId(client.id(), client.createSequence + 1, client.confirmed);
    }

    /**
     * A new record, not confirmed.
     *
     * @throws Nfs4Exception SERVERFAULT, in NFSv4.0 RESOURCE, if the address has more than its share: unlike DELAY that ends
     */
    Client newClient(
            long nowNanos, Opaque owner, long verifier, Principal principal, boolean sessionless, ClientAddress address)
            throws Nfs4Exception {
        if (!makeRoom(nowNanos, clientShares, address, null)) {
            clientShares.refuse();
            throw Nfs4Exception.of(sessionless ? Nfs4Status.RESOURCE : Nfs4Status.SERVERFAULT);
        }
        long id = newId();
        Client client = new Client(id, owner, verifier, principal, sessionless, address);
        client.renewedNanos = nowNanos;
        byId.put(id, client);
        byAddress.computeIfAbsent(address, _ -> new LinkedHashMap<>(2)).put(id, client);
        clientShares.take(address, 1);
        unconfirmed.put(owner, client);
        return client;
    }

    /** Not to be guessed: whoever names a client's id may make a session of it, and act in its place (RFC 8881 section 18.36.3). */
    private long newId() {
        long id;
        do {
            id = (long) instance << 32 | Integer.toUnsignedLong(random.nextInt());
        } while (byId.containsKey(id));
        return id;
    }

    CreatedSession createSession(
            long nowNanos,
            Principal principal,
            long clientId,
            int sequence,
            ChannelAttributes fore,
            CallbackParameters callbacks)
            throws Nfs4Exception {
        Client client = byId.get(clientId);
        if (client == null || client.isSessionless()) {
            throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
        }
        if (!client.confirmed && client.isExpired(nowNanos, leaseNanos)) {
            // A record that is not confirmed within a lease goes (RFC 8881 section 18.35.4), the next sweep or not.
            remove(client);
            throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
        }
        if (sequence == client.createSequence && client.createReply != null) {
            return client.createReply;
        }
        if (sequence != client.createSequence + 1) {
            throw Nfs4Exception.of(Nfs4Status.SEQ_MISORDERED);
        }
        if (!client.confirmed && !client.principal().equals(principal)) {
            throw Nfs4Exception.of(Nfs4Status.CLID_INUSE);
        }
        // First: room is made at the cost of those who are silent.
        renew(client, nowNanos);
        ChannelAttributes foreGranted = fore.clampedTo(limits);
        if (client.sessions.size() >= limits.maxSessionsPerClient()
                || !makeRoom(nowNanos, sessionShares, client.address(), client)) {
            sessionShares.refuse();
            throw Nfs4Exception.of(Nfs4Status.NOSPC);
        }
        SessionId id = new SessionId(clientId, random.nextLong());
        BackChannel back = backChannel(id, callbacks);
        confirm(client);
        Session session = new Session(id, client, foreGranted, back);
        client.sessions.put(id, session);
        sessions.put(id, session);
        slots.granted(session);
        sessionShares.take(client.address(), 1);
        client.createSequence = sequence;
        // Neither PERSIST nor CONN_RDMA: replies live in memory, and a connection does not change what it is.
        CreatedSession reply = new CreatedSession(
                id,
                sequence,
                back != null && callbacks.wanted() ? CreatedSession.CONN_BACK_CHAN : 0,
                foreGranted,
                back == null ? callbacks.channel() : back.attributes());
        client.createReply = reply;
        return reply;
    }

    private @Nullable BackChannel backChannel(SessionId id, CallbackParameters callbacks) throws Nfs4Exception {
        // A channel on which nothing can be sent is refused also if nobody asks for it yet: BIND_CONN_TO_SESSION may.
        ChannelAttributes granted = callbacks.channel().clampedForCallbacks();
        CallbackCredential credential = callbacks.credential();
        return credential == null ? null : new BackChannel(id, callbacks, credential, granted, outbox);
    }

    /** All there are now. */
    List<Client> all() {
        return List.copyOf(byId.values());
    }

    @Nullable
    Client byId(long id) {
        return byId.get(id);
    }

    /** True if this instance of the server has given that id, or may have. */
    boolean isOfThisInstance(long id) {
        return (int) (id >>> 32) == instance;
    }

    /** Where a client of NFSv4.0 wants to be called from now on; null for nowhere. */
    void callAt(Client client, @Nullable CallbackAddress address) {
        client.callBackAt(address, outbox);
    }

    /** The record holds from now on, and the one it replaces goes with all its state. */
    void confirm(Client client) {
        if (client.confirmed) {
            return;
        }
        Client old = confirmed.get(client.owner());
        if (old != null) {
            remove(old);
        }
        unconfirmed.remove(client.owner());
        confirmed.put(client.owner(), client);
        client.confirmed = true;
        client.mayReclaim = grace.mayReclaim(client.owner());
    }

    void destroySession(SessionId id) throws Nfs4Exception {
        Session session = sessions.remove(id);
        if (session == null) {
            throw Nfs4Exception.of(Nfs4Status.BADSESSION);
        }
        session.client().sessions.remove(id);
        end(session);
    }

    private void end(Session session) {
        slots.gone(session);
        replies.release(session);
        sessionShares.giveBack(session.client().address(), 1);
        session.connections.forEach(connection -> noLongerOn(connection, session));
        BackChannel back = session.backChannel();
        if (back != null) {
            back.connections().forEach(connection -> noLongerOn(connection, session));
            back.abandon().forEach(delegation -> delegation.answered(false));
        }
    }

    void destroyClient(long clientId) throws Nfs4Exception {
        Client client = byId.get(clientId);
        if (client == null || client.isSessionless()) {
            throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
        }
        if (!client.sessions.isEmpty() || client.hasState()) {
            throw Nfs4Exception.of(Nfs4Status.CLIENTID_BUSY);
        }
        remove(client);
        if (client.confirmed) {
            // Whoever only has the name of another has not reclaimed for it.
            grace.complete(client.owner());
        }
    }

    Session session(SessionId id) throws Nfs4Exception {
        Session session = sessions.get(id);
        if (session == null) {
            throw Nfs4Exception.of(Nfs4Status.BADSESSION);
        }
        return session;
    }

    @Nullable
    Session sessionOrNull(SessionId id) {
        return sessions.get(id);
    }

    /** Lets a client go that was silent for too long. */
    void expire(Client client) {
        expired++;
        remove(client);
    }

    /** Lets a client go, with everything it has. */
    void remove(Client client) {
        client.gone = true;
        byId.remove(client.id());
        clientShares.giveBack(client.address(), 1);
        byAddress.computeIfPresent(client.address(), (_, neighbours) -> {
            neighbours.remove(client.id());
            return neighbours.isEmpty() ? null : neighbours;
        });
        confirmed.remove(client.owner(), client);
        unconfirmed.remove(client.owner(), client);
        for (Session session : client.sessions.values()) {
            sessions.remove(session.id());
            end(session);
        }
        client.sessions.clear();
        client.callBackAt(null, outbox);
        stateOfGoneClient.accept(client);
    }

    /**
     * Makes sure that the address may have one more, at the cost of what nobody misses: of the address itself if it has its share, else,
     * when there is none left for anyone, of the address that has most, and at last of whoever is silent for the longest.
     *
     * @param except a client that stays, or null
     */
    boolean makeRoom(long nowNanos, Shares shares, ClientAddress address, @Nullable Client except) {
        while (!shares.hasRoomFor(address, 1)) {
            ClientAddress dear = shares.left() > 0 ? address : shares.largest();
            Client victim = dear == null ? null : dispensable(nowNanos, byAddress.getOrDefault(dear, NOBODY), except);
            if (victim == null && shares.left() == 0) {
                victim = silentForLongest(nowNanos, byId, except);
            }
            if (victim == null) {
                return false;
            }
            remove(victim);
        }
        return true;
    }

    /** Not confirmed, or without a lease, or without any state and silent for half a lease: the first such. */
    private @Nullable Client dispensable(long nowNanos, Map<Long, Client> among, @Nullable Client except) {
        Client idle = null;
        int looked = 0;
        for (Client client : among.values()) {
            if (client == except || client.requestsUnderWay > 0) {
                continue;
            }
            if (!client.confirmed || client.isExpired(nowNanos, leaseNanos)) {
                return client;
            }
            if (idle == null && !client.hasState() && client.isExpired(nowNanos, leaseNanos / 2)) {
                idle = client;
            }
            if (++looked >= MAX_LOOKED_AT) {
                break;
            }
        }
        return idle;
    }

    private @Nullable Client silentForLongest(long nowNanos, Map<Long, Client> among, @Nullable Client except) {
        for (Client client : among.values()) {
            if (client != except && client.isExpired(nowNanos, leaseNanos)) {
                return client;
            }
            if (client.requestsUnderWay == 0) {
                // Whoever comes behind was heard of later.
                return null;
            }
        }
        return null;
    }

    /** Lets go of clients that never got further than EXCHANGE_ID, hold nothing, or are silent beyond all courtesy. */
    void sweep(long nowNanos) {
        long courtesyNanos = leaseNanos * limits.courtesyLeases();
        List<Client> silent = new ArrayList<>();
        for (Client client : byId.values()) {
            if (client.requestsUnderWay == 0 && !client.isExpired(nowNanos, leaseNanos)) {
                break;
            }
            if (client.isExpired(nowNanos, !client.hasState() ? leaseNanos : courtesyNanos)) {
                silent.add(client);
            }
        }
        silent.forEach(this::expire);
    }

    /** Requests of the session come on that connection; remembered unless the session has its number of them. */
    void bound(Session session, Object connection) {
        if (session.connections.contains(connection)) {
            return;
        }
        if (session.connections.size() >= limits.maxConnectionsPerSession()) {
            connectionsNotBound++;
            return;
        }
        session.connections.add(connection);
        remember(session, connection);
    }

    /**
     * The connection is to carry callbacks of the session.
     *
     * @return false if it cannot
     */
    boolean boundBack(Session session, Object connection) {
        BackChannel back = session.backChannel();
        if (back == null) {
            return false;
        }
        if (!back.bind(connection, limits.maxConnectionsPerSession())) {
            connectionsNotBound++;
            return false;
        }
        remember(session, connection);
        return true;
    }

    private void remember(Session session, Object connection) {
        byConnection.computeIfAbsent(connection, _ -> new LinkedHashSet<>(2)).add(session);
    }

    private void noLongerOn(Object connection, Session session) {
        byConnection.computeIfPresent(connection, (_, bound) -> {
            bound.remove(session);
            return bound.isEmpty() ? null : bound;
        });
    }

    void connectionClosed(Object connection) {
        Set<Session> bound = byConnection.remove(connection);
        if (bound == null) {
            return;
        }
        for (Session session : bound) {
            session.connections.remove(connection);
            BackChannel back = session.backChannel();
            if (back != null) {
                back.unbind(connection);
            }
        }
    }

    /** What the client's sessions are bound to, in either direction. */
    Set<Object> connectionsOf(Client client) {
        Set<Object> connections = new LinkedHashSet<>();
        for (Session session : client.sessions.values()) {
            connections.addAll(session.connections);
            BackChannel back = session.backChannel();
            if (back != null) {
                connections.addAll(back.connections());
            }
        }
        return connections;
    }

    /** The sessions that calls on this connection belong to, in either direction. */
    Set<Session> sessionsOn(Object connection) {
        return byConnection.getOrDefault(connection, Set.of());
    }

    long refused() {
        return clientShares.refused() + sessionShares.refused();
    }

    /** How often a connection was not remembered. */
    long connectionsNotBound() {
        return connectionsNotBound;
    }

    /** How many clients were let go since they were silent for too long. */
    long expired() {
        return expired;
    }

    int clientCount() {
        return byId.size();
    }

    int sessionCount() {
        return sessions.size();
    }
}
