package org.warpnfs.nfs.v4.state.client;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * SEQUENCE: decides what is done with a request in its slot (RFC 8881, section 18.46). See {@link Slot}. Guarded by the
 * lock of the state.
 */
public final class Sequences {
    private final ClientTable clients;
    private final SessionTable sessions;
    private final SlotRecalls slotRecalls;

    /** @param slotRecalls asks for slots where room for replies is scarce */
    public Sequences(ClientTable clients, SessionTable sessions, SlotRecalls slotRecalls) {
        this.clients = clients;
        this.sessions = sessions;
        this.slotRecalls = slotRecalls;
    }

    /**
     * SEQUENCE. After {@link SequenceOutcome.Execute} the slot is in use until {@link #end}, and the lease cannot run
     * out before.
     */
    public SequenceOutcome begin(long nowNanos, SequenceRequest request) throws Nfs4Exception {
        Session session = sessions.session(request.sessionId());
        if (request.slotId() >= session.slotCount()) {
            throw Nfs4Exception.of(Nfs4Status.BADSLOT);
        }
        if (request.highestSlotId() >= session.slotCount()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_HIGH_SLOT);
        }
        requireBound(session, request.connection());
        Slot slot = session.slot((int) request.slotId());
        clients.renew(session.client(), nowNanos);
        if (request.seqid() == slot.latest.seqid() && slot.phase != Slot.Phase.FRESH) {
            return replay(session, slot, request);
        }
        if (request.seqid() != slot.latest.seqid() + 1 || slot.phase == Slot.Phase.BUSY) {
            throw Nfs4Exception.of(Nfs4Status.SEQ_MISORDERED);
        }
        checkOperations(session, request);
        reserveReply(nowNanos, slot, request);
        slot.phase = Slot.Phase.BUSY;
        slot.latest.set(request.seqid());
        slot.digest = request.digest();
        slot.principal = request.principal();
        clients.began(session.client());
        sessions.slots().began();
        return new SequenceOutcome.Execute(session, slot);
    }

    /**
     * Binds the connection to the session, unless the client has reserved its sessions for its machine credential. Such
     * a client binds each connection by BIND_CONN_TO_SESSION, so that nobody else can use the session (section
     * 18.46.3).
     */
    private void requireBound(Session session, Object connection) throws Nfs4Exception {
        if (session.client().machine() == null) {
            sessions.bound(session, connection);
        } else if (!session.connections.contains(connection)) {
            throw Nfs4Exception.of(Nfs4Status.CONN_NOT_BOUND_TO_SESSION);
        }
    }

    /** Reserves room for a reply that has to be kept. A request without that room is not executed. */
    private void reserveReply(long nowNanos, Slot slot, SequenceRequest request) throws Nfs4Exception {
        Session session = slot.session;
        ReplyMemory replies = sessions.replies();
        int highestSlot = (int) request.highestSlotId();
        boolean hasRoom = replies.begin(slot, highestSlot, request.cacheThis())
                || (slotRecalls.letGoOfSilent(nowNanos, session)
                        && replies.begin(slot, highestSlot, request.cacheThis()));
        session.targetSlots = replies.targetSlots(session);
        if (session.targetSlots < session.slotCount()) {
            slotRecalls.ask(nowNanos, session);
        }
        if (!hasRoom) {
            // Nothing was executed, so the client sends the same request again, in the same slot (section 15.1.1.3).
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
    }

    private static void checkOperations(Session session, SequenceRequest request) throws Nfs4Exception {
        if (request.operations() > session.foreChannel().maxOperations()) {
            throw Nfs4Exception.of(Nfs4Status.TOO_MANY_OPS);
        }
        if (request.leastReplyBytes() > session.foreChannel().maxReplyBytes()) {
            throw Nfs4Exception.of(Nfs4Status.REP_TOO_BIG);
        }
        if (request.cacheThis()
                && request.leastReplyBytes() > session.foreChannel().maxCachedReplyBytes()) {
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
            sessions.slots().replayed();
        }
        return reply == null ? new SequenceOutcome.ReplayUncached(session) : new SequenceOutcome.Replay(session, reply);
    }

    /**
     * Notes that the request of a slot has been executed.
     *
     * @param reply to keep for a retry, or null to keep none
     */
    public void end(long nowNanos, SequenceOutcome.Execute execution, @Nullable CachedReply reply) {
        sessions.replies().end(execution.slot(), reply);
        execution.slot().phase = Slot.Phase.IDLE;
        sessions.slots().ended();
        clients.ended(execution.session().client(), nowNanos);
    }
}
