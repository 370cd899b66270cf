package org.warpnfs.nfs.v4.state;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.callback.CallbackParameters;
import org.warpnfs.nfs.v4.state.client.CachedReply;
import org.warpnfs.nfs.v4.state.client.CreatedSession;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.SequenceRequest;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.MachineCredential;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.state.core.SessionId;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** Clients, sessions and their fore channels: EXCHANGE_ID to SEQUENCE. See {@link StateTable}. */
public final class SessionStates {
    /** sr_status_flags (RFC 8881, section 18.46.1). */
    private static final int ADMIN_STATE_REVOKED = 0x0000_0020;

    private static final int RECALLABLE_STATE_REVOKED = 0x0000_0040;

    private final StateCore core;

    SessionStates(StateCore core) {
        this.core = core;
    }

    /** EXCHANGE_ID. */
    public ExchangedId exchangeId(long nowNanos, Opaque owner, long verifier, Sender sender, boolean update)
            throws Nfs4Exception {
        return core.locked(() -> {
            core.sweepNowAndThen(nowNanos);
            return core.clients.exchangeId(nowNanos, owner, verifier, sender, update);
        });
    }

    /** EXCHANGE_ID without a client address. */
    ExchangedId exchangeId(long nowNanos, Opaque owner, long verifier, Principal principal, boolean update)
            throws Nfs4Exception {
        return exchangeId(nowNanos, owner, verifier, new Sender(principal, ClientAddress.NONE), update);
    }

    /**
     * Reserves operations of a client that EXCHANGE_ID has just made. An existing client keeps what it has.
     *
     * @return what is in force; null if nothing is
     */
    public @Nullable MachineCredential protect(ExchangedId exchanged, @Nullable MachineCredential asked)
            throws Nfs4Exception {
        return core.locked(() -> {
                    Client client = core.clients.byId(exchanged.clientId());
                    if (client == null) {
                        throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
                    }
                    if (asked != null && !exchanged.confirmed()) {
                        client.protectBy(asked);
                    }
                    return Optional.ofNullable(client.machine());
                })
                .orElse(null);
    }

    /** The client of that id; empty if there is none. */
    public Optional<Client> clientOf(long clientId) throws Nfs4Exception {
        return core.locked(() -> Optional.ofNullable(core.clients.byId(clientId)));
    }

    /** The client of a session; BADSESSION if there is no such session. */
    public Client clientOf(SessionId id) throws Nfs4Exception {
        return core.locked(() -> core.sessions.session(id).client());
    }

    /** True if CREATE_SESSION with this sequence ID is a repetition, which {@link #createSession} answers as before. */
    public boolean isCreated(long clientId, int sequence) throws Nfs4Exception {
        return core.locked(() -> core.sessions.isCreated(clientId, sequence));
    }

    /** CREATE_SESSION. Binds {@code connection} to the session. */
    public CreatedSession createSession(
            long nowNanos,
            Principal principal,
            long clientId,
            int sequence,
            ChannelAttributes fore,
            CallbackParameters callbacks,
            Object connection)
            throws Nfs4Exception {
        return core.locked(() -> {
            CreatedSession created = core.sessions.create(nowNanos, principal, clientId, sequence, fore, callbacks);
            Session session = core.sessions.session(created.id());
            core.sessions.bound(session, connection);
            if (callbacks.wanted()) {
                core.sessions.boundBack(session, connection);
            }
            return created;
        });
    }

    /** DESTROY_SESSION. A client without a session cannot ask for the locks that it waits for. */
    public void destroySession(SessionId id) throws Nfs4Exception {
        core.change(() -> {
            Client client = core.sessions.session(id).client();
            core.sessions.destroy(id);
            if (core.sessions.of(client).isEmpty()) {
                core.locks.giveUp(client);
            }
        });
    }

    /** DESTROY_CLIENTID. */
    public void destroyClient(long clientId) throws Nfs4Exception {
        core.change(() -> {
            Client client = core.clients.byId(clientId);
            if (client == null || client.isSessionless()) {
                throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
            }
            if (!core.sessions.of(client).isEmpty() || core.isAny(client)) {
                throw Nfs4Exception.of(Nfs4Status.CLIENTID_BUSY);
            }
            core.letGo(client);
        });
    }

    /**
     * BIND_CONN_TO_SESSION.
     *
     * @return the channels that the connection now carries
     */
    public Directions bindConnection(SessionId id, Object connection, Directions asked) throws Nfs4Exception {
        return core.locked(() -> {
            Session session = core.sessions.session(id);
            boolean carriesBack = asked.back() && core.sessions.boundBack(session, connection);
            if (!asked.fore() && !carriesBack) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            if (asked.fore()
                    && !core.sessions.bound(session, connection)
                    && session.client().machine() != null) {
                // Its requests would be refused on this connection. The client tries again, when others may have ended.
                throw Nfs4Exception.of(Nfs4Status.DELAY);
            }
            return new Directions(asked.fore(), carriesBack);
        });
    }

    /** The directions of calls over a connection: at least one of the two. */
    public record Directions(boolean fore, boolean back) {}

    /** Notes that a connection has ended. */
    public void connectionClosed(Object connection) {
        core.change(() -> core.sessions.connectionClosed(connection));
    }

    /**
     * SEQUENCE. After {@link SequenceOutcome.Execute} the slot is in use until {@link #endSequence}, and the lease
     * cannot run out before.
     *
     * @param request the arguments, with a digest of the COMPOUND
     */
    public SequenceOutcome beginSequence(long nowNanos, SequenceRequest request) throws Nfs4Exception {
        return core.locked(() -> {
            core.sweepNowAndThen(nowNanos);
            return core.sequences.begin(nowNanos, request);
        });
    }

    /**
     * Notes that the request of a slot has been executed.
     *
     * @param reply to keep for a retry, or null to keep none
     */
    public void endSequence(long nowNanos, SequenceOutcome.Execute execution, @Nullable CachedReply reply) {
        core.change(() -> core.sequences.end(nowNanos, execution, reply));
    }

    /** RECLAIM_COMPLETE for all file systems. */
    public void reclaimComplete(Client client) throws Nfs4Exception {
        core.change(() -> {
            core.requirePresent(client);
            core.recovery.complete(client);
        });
        core.settleGrace();
    }

    /** RECLAIM_COMPLETE for one file system. */
    public void reclaimCompleteOfOne(Client client) throws Nfs4Exception {
        core.change(() -> {
            core.requirePresent(client);
            core.recovery.completeOne(client);
        });
    }

    /** sr_status_flags: conditions that the client should act on. */
    public int statusFlags(long nowNanos, Session session) {
        return core.locked(() -> {
            Client client = session.client();
            boolean ofLayouts = core.layouts.tellOfRevoked(nowNanos, client);
            boolean revoked = ofLayouts || core.delegations.held().revokedOf(client) > 0;
            int flags = revoked ? RECALLABLE_STATE_REVOKED : 0;
            flags |= core.locks.revokedOf(client) > 0 ? ADMIN_STATE_REVOKED : 0;
            return flags | core.waysBack.statusFlags(nowNanos, core.leaseNanos(), session);
        });
    }
}
