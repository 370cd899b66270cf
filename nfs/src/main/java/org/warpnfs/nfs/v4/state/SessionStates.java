package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** Clients, sessions and their fore channels: EXCHANGE_ID to SEQUENCE. See {@link StateTable}. */
public final class SessionStates {
    /** sr_status_flags (RFC 8881 section 18.46.1). */
    private static final int CB_PATH_DOWN = 0x0000_0001;

    private static final int ADMIN_STATE_REVOKED = 0x0000_0020;
    private static final int RECALLABLE_STATE_REVOKED = 0x0000_0040;
    private static final int CB_PATH_DOWN_SESSION = 0x0000_0200;
    private static final int BACKCHANNEL_FAULT = 0x0000_0400;

    /** An accepted RPC reply, COMPOUND with an empty tag, SEQUENCE: no reply in a session is shorter. */
    private static final int LEAST_REPLY_BYTES = 24 + 12 + 8 + 36;

    private final StateCore core;

    SessionStates(StateCore core) {
        this.core = core;
    }

    /** EXCHANGE_ID. */
    public ExchangedId exchangeId(
            long nowNanos, Opaque owner, long verifier, Principal principal, boolean update, ClientAddress address)
            throws Nfs4Exception {
        return core.locked(() -> {
            core.sweepNowAndThen(nowNanos);
            return core.clients.exchangeId(nowNanos, owner, verifier, principal, update, address);
        });
    }

    /** From nowhere. */
    ExchangedId exchangeId(long nowNanos, Opaque owner, long verifier, Principal principal, boolean update)
            throws Nfs4Exception {
        return exchangeId(nowNanos, owner, verifier, principal, update, ClientAddress.NONE);
    }

    /** CREATE_SESSION; {@code connection} is bound to the session. */
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
            CreatedSession created =
                    core.clients.createSession(nowNanos, principal, clientId, sequence, fore, callbacks);
            Session session = core.clients.session(created.id());
            core.clients.bound(session, connection);
            if (callbacks.wanted()) {
                core.clients.boundBack(session, connection);
            }
            return created;
        });
    }

    /** DESTROY_SESSION. */
    public void destroySession(SessionId id) throws Nfs4Exception {
        core.change(() -> core.clients.destroySession(id));
    }

    /** DESTROY_CLIENTID. */
    public void destroyClient(long clientId) throws Nfs4Exception {
        core.change(() -> core.clients.destroyClient(clientId));
    }

    /**
     * BIND_CONN_TO_SESSION.
     *
     * @return what the connection now carries
     */
    public Directions bindConnection(SessionId id, Object connection, Directions asked) throws Nfs4Exception {
        return core.locked(() -> {
            Session session = core.clients.session(id);
            boolean carriesBack = asked.back() && core.clients.boundBack(session, connection);
            if (!asked.fore() && !carriesBack) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            if (asked.fore()) {
                core.clients.bound(session, connection);
            }
            return new Directions(asked.fore(), carriesBack);
        });
    }

    /** Which way calls go over a connection; at least one of the two. */
    public record Directions(boolean fore, boolean back) {}

    /** The transport tells that a connection is gone. */
    public void connectionClosed(Object connection) {
        core.tell(() -> core.clients.connectionClosed(connection));
    }

    /**
     * SEQUENCE. After {@link SequenceOutcome.Execute} the slot is taken, and the lease runs on, until {@link #endSequence}.
     *
     * @param request what is asked, with a digest
     */
    public SequenceOutcome beginSequence(long nowNanos, SequenceRequest request) throws Nfs4Exception {
        return core.locked(() -> {
            core.sweepNowAndThen(nowNanos);
            Session session = core.clients.session(request.sessionId());
            if (request.slotId() >= session.slotCount()) {
                throw Nfs4Exception.of(Nfs4Status.BADSLOT);
            }
            if (request.highestSlotId() >= session.slotCount()) {
                throw Nfs4Exception.of(Nfs4Status.BAD_HIGH_SLOT);
            }
            Slot slot = session.slot((int) request.slotId());
            core.clients.bound(session, request.connection());
            core.clients.renew(session.client(), nowNanos);
            if (request.seqid() == slot.seqid && slot.phase != Slot.Phase.FRESH) {
                return replay(session, slot, request);
            }
            if (request.seqid() != slot.seqid + 1 || slot.phase == Slot.Phase.BUSY) {
                throw Nfs4Exception.of(Nfs4Status.SEQ_MISORDERED);
            }
            checkOperations(session, request);
            reserveReply(nowNanos, slot, request);
            slot.phase = Slot.Phase.BUSY;
            slot.seqid = request.seqid();
            slot.digest = request.digest();
            slot.principal = request.principal();
            session.client().requestsUnderWay++;
            core.clients.slots.began();
            session.client().requests++;
            return new SequenceOutcome.Execute(session, slot);
        });
    }

    /** A request that promises to keep its reply is executed only if there is room for one. */
    private void reserveReply(long nowNanos, Slot slot, SequenceRequest request) throws Nfs4Exception {
        Session session = slot.session;
        ReplyMemory replies = core.clients.replies();
        int highestSlot = (int) request.highestSlotId();
        boolean hasRoom = replies.begin(slot, highestSlot, request.cacheThis())
                || (core.slotRecalls.letGoOfSilent(nowNanos, session)
                        && replies.begin(slot, highestSlot, request.cacheThis()));
        session.targetSlots = replies.targetSlots(session);
        if (session.targetSlots < session.slotCount()) {
            core.slotRecalls.ask(nowNanos, session);
        }
        if (!hasRoom) {
            // The client sends the same again, in the same slot (section 15.1.1.3): nothing was executed.
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
    }

    private static void checkOperations(Session session, SequenceRequest request) throws Nfs4Exception {
        if (request.operations() > session.foreChannel().maxOperations()) {
            throw Nfs4Exception.of(Nfs4Status.TOO_MANY_OPS);
        }
        if (request.cacheThis() && session.foreChannel().maxCachedReplyBytes() < LEAST_REPLY_BYTES) {
            throw Nfs4Exception.of(Nfs4Status.REP_TOO_BIG_TO_CACHE);
        }
    }

    private SequenceOutcome replay(Session session, Slot slot, SequenceRequest request) throws Nfs4Exception {
        if (slot.digest != request.digest() || !request.principal().equals(slot.principal)) {
            throw Nfs4Exception.of(Nfs4Status.SEQ_FALSE_RETRY);
        }
        if (slot.phase == Slot.Phase.BUSY) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        CachedReply reply = slot.reply;
        if (reply != null) {
            core.clients.slots.replayed();
        }
        return reply == null ? new SequenceOutcome.ReplayUncached(session) : new SequenceOutcome.Replay(session, reply);
    }

    /**
     * The request of a slot has been executed.
     *
     * @param reply to keep for a retry, or null to keep none
     */
    public void endSequence(long nowNanos, SequenceOutcome.Execute execution, @Nullable CachedReply reply) {
        core.tell(() -> {
            core.clients.replies().end(execution.slot(), reply);
            execution.slot().phase = Slot.Phase.IDLE;
            Client client = execution.session().client();
            client.requestsUnderWay--;
            core.clients.slots.ended();
            core.clients.renew(client, nowNanos);
        });
    }

    /** RECLAIM_COMPLETE for all file systems. */
    public void reclaimComplete(Client client) throws Nfs4Exception {
        core.change(() -> {
            core.requirePresent(client);
            if (client.reclaimComplete) {
                throw Nfs4Exception.of(Nfs4Status.COMPLETE_ALREADY);
            }
            client.reclaimComplete = true;
            core.grace.complete(client.owner());
        });
        core.settleGrace();
    }

    /** sr_status_flags: what the client should do something about. */
    public int statusFlags(long nowNanos, Session session) {
        return core.look(() -> {
            Client client = session.client();
            int flags = client.revokedDelegations > 0 ? RECALLABLE_STATE_REVOKED : 0;
            flags |= client.revokedLockStates > 0 ? ADMIN_STATE_REVOKED : 0;
            boolean anyUsed = false;
            boolean allDown = true;
            for (Session each : client.sessions.values()) {
                BackChannel back = each.backChannel();
                if (back == null || !back.isUsed()) {
                    continue;
                }
                back.expire(nowNanos, CallbackStates.PATIENCE_NANOS);
                anyUsed = true;
                allDown &= back.isDown();
            }
            BackChannel own = session.backChannel();
            if (own != null && own.isUsed()) {
                flags |= own.isDown() ? CB_PATH_DOWN_SESSION : 0;
                flags |= own.isFaulty() ? BACKCHANNEL_FAULT : 0;
            }
            return flags | (anyUsed && allDown ? CB_PATH_DOWN : 0);
        });
    }
}
