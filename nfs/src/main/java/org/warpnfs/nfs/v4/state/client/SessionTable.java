package org.warpnfs.nfs.v4.state.client;

import java.security.SecureRandom;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.BackChannel;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.state.core.Shares;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * Sessions of all clients, and the connections that are bound to them (RFC 8881, section 2.10). Guarded by the lock of
 * the state.
 */
public final class SessionTable {
    private final StateLimits limits;
    private final ClientTable clients;
    private final Consumer<CallbackCall> outbox;
    private final SecureRandom random = new SecureRandom();
    private final Map<SessionId, Session> byId = new HashMap<>();
    private final Map<Client, Map<SessionId, Session>> byClient = new HashMap<>();
    private final Map<Object, Set<Session>> byConnection = new HashMap<>();
    private final Shares shares;
    private final SlotUse slots = new SlotUse();
    private final ReplyMemory replies;
    private long connectionsNotBound;

    /** @param outbox takes callbacks; they are sent without the lock */
    public SessionTable(StateLimits limits, ClientTable clients, Consumer<CallbackCall> outbox) {
        this.limits = limits;
        this.clients = clients;
        this.outbox = outbox;
        this.shares = new Shares(limits.maxSessions());
        this.replies = new ReplyMemory(limits.maxReplyCacheBytes());
    }

    /** Memory for the replies that sessions keep. */
    public ReplyMemory replies() {
        return replies;
    }

    SlotUse slots() {
        return slots;
    }

    /** Counts of the slots of all sessions. */
    public SlotCounts slotCounts() {
        return slots.counts();
    }

    /** True if the last CREATE_SESSION of the client had this sequence ID. */
    public boolean isCreated(long clientId, int sequence) {
        ClientRecord record = clients.recordById(clientId);
        return record != null && record.createReply != null && record.createSequence == sequence;
    }

    /** CREATE_SESSION. */
    public CreatedSession create(
            long nowNanos,
            Principal principal,
            long clientId,
            int sequence,
            ChannelAttributes fore,
            CallbackParameters callbacks)
            throws Nfs4Exception {
        ClientRecord record = clients.recordById(clientId);
        if (record == null || record.client.isSessionless()) {
            throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
        }
        Client client = record.client;
        if (!record.confirmed && clients.isExpired(client, nowNanos)) {
            // A record that is not confirmed within a lease is removed (RFC 8881, section 18.35.4), even before the
            // next sweep.
            clients.remove(client);
            throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
        }
        if (sequence == record.createSequence && record.createReply != null) {
            return record.createReply;
        }
        if (sequence != record.createSequence + 1) {
            throw Nfs4Exception.of(Nfs4Status.SEQ_MISORDERED);
        }
        if (!record.confirmed && !client.principal().equals(principal)) {
            throw Nfs4Exception.of(Nfs4Status.CLID_INUSE);
        }
        // Done first, since room is made by removing silent clients.
        clients.renew(client, nowNanos);
        ChannelAttributes foreGranted = fore.clampedTo(limits);
        if (of(client).size() >= limits.maxSessionsPerClient()
                || !clients.makeRoom(nowNanos, shares, client.address(), client)) {
            shares.refuse();
            throw Nfs4Exception.of(Nfs4Status.NOSPC);
        }
        SessionId id = new SessionId(clientId, random.nextLong());
        BackChannel back = backChannel(id, callbacks);
        clients.confirm(record, nowNanos);
        add(new Session(id, client, foreGranted, back));
        record.createSequence = sequence;
        // Neither PERSIST nor CONN_RDMA: replies are kept in memory, and a connection cannot change to RDMA.
        CreatedSession reply = new CreatedSession(
                id,
                sequence,
                back != null && callbacks.wanted() ? CreatedSession.CONN_BACK_CHAN : 0,
                foreGranted,
                back == null ? callbacks.channel() : back.attributes());
        record.createReply = reply;
        return reply;
    }

    private @Nullable BackChannel backChannel(SessionId id, CallbackParameters callbacks) throws Nfs4Exception {
        // A channel on which nothing can be sent is refused even if this request does not ask for it, since
        // BIND_CONN_TO_SESSION may.
        ChannelAttributes granted = callbacks.channel().clampedForCallbacks();
        return callbacks.credentials().isEmpty() ? null : new BackChannel(id, callbacks, granted, outbox);
    }

    private void add(Session session) {
        byId.put(session.id(), session);
        byClient.computeIfAbsent(session.client(), _ -> new LinkedHashMap<>(2)).put(session.id(), session);
        slots.granted(session);
        shares.take(session.client().address(), 1);
    }

    /** DESTROY_SESSION. */
    public void destroy(SessionId id) throws Nfs4Exception {
        Session session = byId.get(id);
        if (session == null) {
            throw Nfs4Exception.of(Nfs4Status.BADSESSION);
        }
        byClient.computeIfPresent(session.client(), (_, sessions) -> {
            sessions.remove(id);
            return sessions.isEmpty() ? null : sessions;
        });
        end(session);
    }

    /** Ends all sessions of a client that is removed. */
    public void depart(Client client) {
        Map<SessionId, Session> sessions = byClient.remove(client);
        if (sessions != null) {
            sessions.values().forEach(this::end);
        }
    }

    private void end(Session session) {
        byId.remove(session.id());
        slots.gone(session);
        replies.release(session);
        shares.giveBack(session.client().address(), 1);
        session.connections.forEach(connection -> noLongerOn(connection, session));
        BackChannel back = session.backChannel();
        if (back != null) {
            back.paths().connections().forEach(connection -> noLongerOn(connection, session));
            back.abandon().forEach(recalled -> recalled.answered(false));
        }
    }

    /** The session of that id; BADSESSION if there is none. */
    public Session session(SessionId id) throws Nfs4Exception {
        Session session = byId.get(id);
        if (session == null) {
            throw Nfs4Exception.of(Nfs4Status.BADSESSION);
        }
        return session;
    }

    @Nullable
    Session sessionOrNull(SessionId id) {
        return byId.get(id);
    }

    /** The client's sessions, in the order in which they were created. */
    public Collection<Session> of(Client client) {
        return byClient.getOrDefault(client, Map.of()).values();
    }

    /**
     * Notes that requests of the session come on that connection. It is not remembered if the session has its limit of
     * connections.
     *
     * @return true if it is remembered
     */
    public boolean bound(Session session, Object connection) {
        if (session.connections.contains(connection)) {
            return true;
        }
        if (session.connections.size() >= limits.maxConnectionsPerSession()) {
            connectionsNotBound++;
            return false;
        }
        session.connections.add(connection);
        remember(session, connection);
        return true;
    }

    /**
     * Binds a connection to the back channel of the session.
     *
     * @return false if it cannot be bound
     */
    public boolean boundBack(Session session, Object connection) {
        BackChannel back = session.backChannel();
        if (back == null) {
            return false;
        }
        if (!back.paths().bind(connection, limits.maxConnectionsPerSession())) {
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

    /** Notes that a connection has ended. */
    public void connectionClosed(Object connection) {
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

    /** The connections that the client's sessions are bound to, in either direction. */
    public Set<Object> connectionsOf(Client client) {
        Set<Object> connections = new LinkedHashSet<>();
        for (Session session : of(client)) {
            connections.addAll(session.connections);
            connections.addAll(session.backConnections());
        }
        return connections;
    }

    /** The sessions that are bound to this connection, in either direction. */
    Set<Session> sessionsOn(Object connection) {
        return byConnection.getOrDefault(connection, Set.of());
    }

    /** How often an address was refused another session. */
    public long refused() {
        return shares.refused();
    }

    /** How often a connection was not remembered. */
    public long connectionsNotBound() {
        return connectionsNotBound;
    }

    /** Number of sessions. */
    public int count() {
        return byId.size();
    }
}
