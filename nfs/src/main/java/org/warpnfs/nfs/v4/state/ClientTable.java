package org.warpnfs.nfs.v4.state;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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
    private final StateLimits limits;
    private final long leaseNanos;
    private final int instance;
    private final Grace grace;
    private final Consumer<Client> stateOfGoneClient;
    private final Consumer<CallbackCall> outbox;
    private final SecureRandom random = new SecureRandom();

    private final Map<Long, Client> byId = new LinkedHashMap<>();
    private final Map<Opaque, Client> confirmed = new HashMap<>();
    private final Map<Opaque, Client> unconfirmed = new HashMap<>();
    private final Map<SessionId, Session> sessions = new HashMap<>();
    private int lastClient;
    private long cacheBytes;

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
    }

    ExchangedId exchangeId(long nowNanos, Opaque owner, long verifier, Principal principal, boolean update)
            throws Nfs4Exception {
        if (update) {
            return exchanged(updatable(confirmed.get(owner), verifier, principal));
        }
        Client old = takenBy(nowNanos, owner, principal, false);
        if (old != null && old.verifier() == verifier) {
            old.renewedNanos = nowNanos;
            return exchanged(old);
        }
        removeUnconfirmed(owner);
        return exchanged(newClient(nowNanos, owner, verifier, principal, false));
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

    /** A new record, not confirmed; DELAY if there are too many. */
    Client newClient(long nowNanos, Opaque owner, long verifier, Principal principal, boolean sessionless)
            throws Nfs4Exception {
        if (byId.size() >= limits.maxClients() && !removeOldestUnconfirmed() && !removeOldestExpired(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        long id = (long) instance << 32 | Integer.toUnsignedLong(++lastClient);
        Client client = new Client(id, owner, verifier, principal, sessionless);
        client.renewedNanos = nowNanos;
        byId.put(id, client);
        unconfirmed.put(owner, client);
        return client;
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
        client.renewedNanos = nowNanos;
        ChannelAttributes foreAsked = fore.clampedTo(limits);
        if (client.sessions.size() >= limits.maxSessionsPerClient()
                || (sessions.size() >= limits.maxSessions() && !removeOldestExpired(nowNanos))) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        ChannelAttributes foreGranted = withinMemory(nowNanos, foreAsked);
        SessionId id = new SessionId(clientId, random.nextLong());
        BackChannel back = backChannel(id, callbacks);
        confirm(client);
        Session session = new Session(id, client, foreGranted, back);
        client.sessions.put(id, session);
        sessions.put(id, session);
        cacheBytes += session.cacheBytes();
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

    /** A session's slots are what its reply cache takes; the fuller the memory for all of them, the fewer a new session gets. */
    private ChannelAttributes withinMemory(long nowNanos, ChannelAttributes asked) throws Nfs4Exception {
        long perSlot = Math.max(asked.maxCachedReplyBytes(), 1);
        long room = limits.maxReplyCacheBytes() - cacheBytes;
        if (room < perSlot && removeOldestExpired(nowNanos)) {
            room = limits.maxReplyCacheBytes() - cacheBytes;
        }
        if (room < perSlot) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        return asked.withRequests(Math.clamp(room / 4 / perSlot, 1, asked.maxRequests()));
    }

    private @Nullable BackChannel backChannel(SessionId id, CallbackParameters callbacks) throws Nfs4Exception {
        // A channel on which nothing can be sent is refused also if nobody asks for it yet: BIND_CONN_TO_SESSION may.
        ChannelAttributes granted = callbacks.channel().clampedForCallbacks();
        CallbackCredential credential = callbacks.credential();
        return credential == null ? null : new BackChannel(id, callbacks, credential, granted, outbox);
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
        cacheBytes -= session.cacheBytes();
        BackChannel back = session.backChannel();
        if (back != null) {
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
        grace.complete(client.owner());
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

    /** Lets a client go, with everything it has. */
    void remove(Client client) {
        client.gone = true;
        byId.remove(client.id());
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

    /** Makes room: nothing is lost with a client that has no session yet, and it will ask again. */
    private boolean removeOldestUnconfirmed() {
        for (Client client : byId.values()) {
            if (!client.confirmed) {
                remove(client);
                return true;
            }
        }
        return false;
    }

    /** Makes room: true if some client without a lease was let go, the one that is silent for the longest. */
    boolean removeOldestExpired(long nowNanos) {
        Client oldest = null;
        for (Client client : byId.values()) {
            if (client.isExpired(nowNanos, leaseNanos)
                    && (oldest == null || client.renewedNanos - oldest.renewedNanos < 0)) {
                oldest = client;
            }
        }
        if (oldest == null) {
            return false;
        }
        remove(oldest);
        return true;
    }

    /** Lets go of clients that never got further than EXCHANGE_ID, hold nothing, or are silent beyond all courtesy. */
    void sweep(long nowNanos) {
        long courtesyNanos = leaseNanos * limits.courtesyLeases();
        List<Client> silent = new ArrayList<>();
        for (Client client : byId.values()) {
            if (client.isExpired(nowNanos, !client.hasState() ? leaseNanos : courtesyNanos)) {
                silent.add(client);
            }
        }
        silent.forEach(this::remove);
    }

    void connectionClosed(Object connection) {
        for (Session session : sessions.values()) {
            session.connections.remove(connection);
            BackChannel back = session.backChannel();
            if (back != null) {
                back.unbind(connection);
            }
        }
    }

    Collection<Session> sessions() {
        return sessions.values();
    }

    int clientCount() {
        return byId.size();
    }

    int sessionCount() {
        return sessions.size();
    }
}
