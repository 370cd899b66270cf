package org.warpnfs.nfs.v4.state.callback;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.SessionId;

/**
 * The back channel of one session (RFC 8881, section 2.10.3.1): the slots of the server's calls. The calls go over the
 * connections that the client has bound to it ({@link BoundPaths}).
 *
 * <p>A slot whose call got no answer keeps that call, since only the client knows whether it executed it. The same call
 * is sent over the next connection that is up, and the slot's sequence goes on with its answer. Guarded by the lock of
 * the state.
 */
public final class BackChannel {
    private static final int NFS4_OK = 0;
    private static final int NFS4ERR_DELAY = 10008;
    private static final int NFS4ERR_RETRY_UNCACHED_REP = 10068;
    private static final int NFS4ERR_NOMATCHING_LAYOUT = 10060;

    private static final class CallbackSlot {
        int seqid = 1;
        CallbackCall.@Nullable InSession call;

        @Nullable
        Recallable delegation;

        long sentNanos;
        /** True if the call's connection failed before an answer came. */
        boolean inDoubt;
    }

    private final SessionId sessionId;
    private final int minorVersion;
    private final ChannelAttributes attributes;
    private final CallbackSlot[] slots;
    private final BoundPaths paths;
    private final Consumer<CallbackCall> outbox;
    private boolean faulty;
    /** True if a CB_RECALL_SLOT was sent. */
    private boolean slotsAsked;

    private long slotsAskedNanos;
    private boolean givesNoSlots;

    /** @param outbox takes callbacks; they are sent without the lock */
    public BackChannel(
            SessionId sessionId,
            CallbackParameters parameters,
            ChannelAttributes granted,
            Consumer<CallbackCall> outbox) {
        this.sessionId = sessionId;
        this.minorVersion = parameters.minorVersion();
        this.paths = new BoundPaths(parameters.program(), parameters.credentials(), outbox);
        this.attributes = granted;
        this.outbox = outbox;
        this.slots = new CallbackSlot[Math.toIntExact(granted.maxRequests())];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new CallbackSlot();
        }
    }

    /** The attributes that the channel was granted. */
    public ChannelAttributes attributes() {
        return attributes;
    }

    /** The connections that are bound to it. */
    public BoundPaths paths() {
        return paths;
    }

    /** Removes a connection that has ended. Calls over it without an answer are in doubt. */
    public void unbind(Object connection) {
        paths.unbind(connection);
        for (CallbackSlot slot : slots) {
            if (slot.call != null && slot.call.target().connection().equals(connection)) {
                slot.inDoubt = true;
            }
        }
    }

    /** Sends calls that are in doubt again, over a connection that is up. */
    public void resume(long nowNanos) {
        CallbackCall.Bound up = paths.up();
        if (up == null) {
            return;
        }
        for (CallbackSlot slot : slots) {
            CallbackCall.InSession call = slot.call;
            if (call != null && slot.inDoubt) {
                CallbackCall.InSession again = call.on(up);
                slot.inDoubt = false;
                slot.call = again;
                slot.sentNanos = nowNanos;
                outbox.accept(again);
            }
        }
    }

    /** True if a callback can be sent. */
    public boolean isUp() {
        return !faulty && paths.up() != null;
    }

    /** SEQ4_STATUS_BACKCHANNEL_FAULT: client and server disagree on the slots. */
    public boolean isFaulty() {
        return faulty;
    }

    /**
     * Sends CB_RECALL or CB_LAYOUTRECALL.
     *
     * @return false if no connection is up or no slot is free
     */
    public boolean recall(long nowNanos, Recallable delegation) {
        CallbackSlot slot = send(nowNanos, delegation.recall(), delegation.grantedTo());
        if (slot != null) {
            slot.delegation = delegation;
            delegation.asked(nowNanos);
        }
        return slot != null;
    }

    /**
     * Sends CB_RECALL_SLOT, unless the client was asked recently or has refused.
     *
     * @return false if it was not sent
     */
    public boolean recallSlots(long nowNanos, int highestSlot) {
        if (givesNoSlots || (slotsAsked && nowNanos - slotsAskedNanos < CallbackCall.PATIENCE_NANOS)) {
            return false;
        }
        if (send(nowNanos, new CallbackCall.RecallSlot(highestSlot)) == null) {
            return false;
        }
        slotsAsked = true;
        slotsAskedNanos = nowNanos;
        return true;
    }

    /** Sends CB_RECALL_ANY. Returns false if no connection is up or no slot is free. */
    public boolean recallAny(long nowNanos, int keep) {
        return send(nowNanos, new CallbackCall.RecallAny(keep)) != null;
    }

    /** Sends CB_GETATTR. Returns false if no connection is up or no slot is free. */
    public boolean ask(long nowNanos, CallbackCall.GetAttr question) {
        return send(nowNanos, question, question.grantedTo()) != null;
    }

    /** Sends CB_NOTIFY_LOCK. Returns false if no connection is up or no slot is free. */
    public boolean notifyLock(long nowNanos, CallbackCall.NotifyLock lock) {
        return send(nowNanos, lock, lock.denied()) != null;
    }

    private @Nullable CallbackSlot send(long nowNanos, CallbackCall.Operation operation) {
        return send(nowNanos, operation, null);
    }

    /**
     * Sends a call in a free slot. Returns null if no connection is up or no slot is free.
     *
     * @param grantedTo the request that what the call is about was granted to, or denied; null if the call is about
     *     nothing such
     */
    private @Nullable CallbackSlot send(
            long nowNanos, CallbackCall.Operation operation, @Nullable ReferringCall grantedTo) {
        CallbackCall.Bound up = paths.up();
        if (up == null || faulty) {
            return null;
        }
        int highest = 0;
        int free = -1;
        for (int i = slots.length - 1; i >= 0; i--) {
            if (slots[i].call == null) {
                free = i;
            } else {
                highest = Math.max(highest, i);
            }
        }
        if (free < 0) {
            return null;
        }
        CallbackSlot slot = slots[free];
        ReferringCall referring = grantedTo != null && grantedTo.mayBeUnanswered() ? grantedTo : null;
        CallbackCall.Position position = new CallbackCall.Position(
                minorVersion, sessionId, slot.seqid, free, Math.max(highest, free), referring);
        CallbackCall.InSession call = new CallbackCall.InSession(up, position, operation);
        slot.call = call;
        slot.sentNanos = nowNanos;
        outbox.accept(call);
        return slot;
    }

    /**
     * Notes the outcome of a callback. A call that no slot has any more changes nothing. A call without an answer stays
     * in doubt.
     */
    public void recalled(long nowNanos, CallbackCall.InSession call, CallbackOutcome outcome) {
        CallbackSlot slot = slots[Math.min(call.position().slot(), slots.length - 1)];
        if (slot.call != call) {
            return;
        }
        Recallable delegation = slot.delegation;
        switch (outcome) {
            case CallbackOutcome.Compound compound -> {
                boolean heard = compound.sequence() == NFS4_OK;
                settle(slot, compound.sequence());
                if (delegation != null) {
                    delegation.answered(heard && compound.operation() == NFS4_OK);
                    if (heard && compound.operation() == NFS4ERR_NOMATCHING_LAYOUT) {
                        delegation.lacked();
                    }
                } else if (call.operation() instanceof CallbackCall.GetAttr question) {
                    question.query().answered(heard && compound.operation() == NFS4_OK ? compound.attributes() : null);
                } else if (call.operation() instanceof CallbackCall.RecallSlot) {
                    givesNoSlots = heard && compound.operation() != NFS4_OK && compound.operation() != NFS4ERR_DELAY;
                }
            }
            case CallbackOutcome.Failed _, CallbackOutcome.Done _ -> {
                // The slot keeps the call. resume() sends it again when a connection is up.
                paths.failed(nowNanos, call.target());
                slot.inDoubt = true;
                if (call.operation() instanceof CallbackCall.GetAttr question) {
                    question.query().answered(null);
                }
            }
        }
    }

    private void settle(CallbackSlot slot, int status) {
        slot.call = null;
        slot.delegation = null;
        slot.inDoubt = false;
        switch (status) {
            case NFS4_OK, NFS4ERR_RETRY_UNCACHED_REP -> slot.seqid++;
            case NFS4ERR_DELAY -> {}
            default -> faulty = true;
        }
    }

    /**
     * Treats calls that were not answered in time as lost, and their connections as down. The calls are sent again if
     * another connection is up, or if theirs was tested anew since.
     */
    public void expire(long nowNanos, long patienceNanos) {
        paths.expire(nowNanos, patienceNanos);
        for (CallbackSlot slot : slots) {
            if (slot.call != null && !slot.inDoubt && nowNanos - slot.sentNanos > patienceNanos) {
                slot.inDoubt = true;
                paths.failed(nowNanos, slot.call.target());
            }
        }
        resume(nowNanos);
    }

    /**
     * Ends the channel with its session. Returns the delegations whose recalls have no answer, so that they are
     * recalled over another path.
     */
    public List<Recallable> abandon() {
        List<Recallable> unanswered = new ArrayList<>();
        for (CallbackSlot slot : slots) {
            if (slot.delegation != null) {
                unanswered.add(slot.delegation);
            }
            slot.call = null;
            slot.delegation = null;
        }
        paths.clear();
        return unanswered;
    }
}
