package org.warpnfs.rpcrdma.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.rpcrdma.request.CallWindow;
import org.warpnfs.rpcrdma.request.RequestException.Failure;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.FixedHeader;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;

/**
 * Sends the calls of one connection, as many as its credits allow, and knows which of them wait for a reply.
 *
 * <h2>Operation</h2>
 *
 * One call may be outstanding until the first reply, then as many as the last reply granted (RFC 8166, section 3.3.3).
 * Each RDMA_DONE that is owed, or of which we do not know whether its buffer is there again, takes the place of a call
 * (RFC 5666, section 3.8).
 *
 * <h2>Buffers</h2>
 *
 * A call's memory is registered when it is sent.
 *
 * <h2>Errors</h2>
 *
 * A call that cannot be sent fails by itself. Owner thread only.
 */
final class CallSender {
    /** Calls that may wait for credits. */
    static final int MAX_WAITING = 4096;

    private static final int PLAIN_HEADER_BYTES = FixedHeader.ENCODED_BYTES + ChunkLists.NONE.encodedLengthBytes();

    private final QueuePair queuePair;
    private final RequesterOptions options;
    private final CallWindow<PendingCall> window = new CallWindow<>(1, MAX_WAITING);

    /** Calls that end with the connection, since their time is over. */
    private final List<PendingCall> overdue = new ArrayList<>();

    private int inlineLimitBytes;
    private boolean ended;
    private long nextSendId;
    private long lastSentId = -1;
    private int grant = 1;
    private int owed;
    private int donesSent;

    CallSender(QueuePair queuePair, RequesterOptions options) {
        this.queuePair = queuePair;
        this.options = options;
    }

    /** The connection is established: no message may be longer. */
    void setInlineLimit(int mostBytes) {
        inlineLimitBytes = mostBytes;
    }

    /** What may follow the header of a message without chunks, in bytes. */
    int mostInlineBytes() {
        return inlineLimitBytes - PLAIN_HEADER_BYTES;
    }

    /** Takes a call, to be sent by {@link #sendWaiting}. */
    void add(PendingCall call) {
        if (ended) {
            call.fail(Failure.DISCONNECTED, "the connection has ended");
        } else if (!window.add(call.xid(), call.deadlineNanos(), call)) {
            call.fail(Failure.REFUSED, "too many calls wait");
        }
    }

    /** Sends the calls that may be sent. */
    void sendWaiting() {
        while (queuePair.connected()) {
            PendingCall call = window.next(CallSender::refuse);
            if (call == null) {
                return;
            }
            PendingCall.Marshalled marshalled = call.marshal(queuePair, options.credits(), inlineLimitBytes);
            if (marshalled.header().encodedLengthBytes() > inlineLimitBytes) {
                window.replied(call.xid());
                call.fail(Failure.REFUSED, "chunk lists that the responder cannot receive");
                continue;
            }
            // Set first: a provider may complete work while it is being posted.
            call.setSendId(nextSendId);
            send(marshalled.header(), marshalled.inline());
        }
    }

    private static void refuse(PendingCall call) {
        call.fail(Failure.REFUSED, "XID " + call.xid() + " is already outstanding");
    }

    /** Posts one message. */
    void send(RpcRdmaHeader header, List<ByteBuffer> inline) {
        List<ByteBuffer> gather = new ArrayList<>(1 + inline.size());
        gather.add(header.encoded());
        gather.addAll(inline);
        queuePair.post(new WorkRequest.Send(nextSendId++, gather, false, OptionalLong.empty()));
    }

    /** A Send has completed, and so have those before it. */
    void sent(long workRequestId) {
        lastSentId = workRequestId;
    }

    /** Whether no byte of a call is to be sent any more. */
    boolean hasLeft(PendingCall call) {
        return call.sendId() <= lastSentId;
    }

    /** Whether a reply with that XID is waited for, also one whose call has ended meanwhile. */
    boolean expects(long xid) {
        return window.expects(xid);
    }

    /**
     * A reply has come.
     *
     * @return its call; null if nobody waits for it any more
     */
    @Nullable
    PendingCall replied(long xid) {
        return window.replied(xid);
    }

    /** The responder has granted credits. */
    void granted(RpcRdmaHeader header) {
        grant = (int) Math.clamp(header.credits(), 1L, options.credits());
        donesSent = 0;
        updateRoom();
    }

    /** So many replies are being read, each of which needs an RDMA_DONE. */
    void owes(int dones) {
        owed = dones;
        updateRoom();
    }

    /** A reply has been read: its memory may go. */
    void sendDone(PendingCall call, int stillOwed) {
        send(new RdmaDone(call.xid(), options.credits()), List.of());
        donesSent++;
        owes(stillOwed);
    }

    private void updateRoom() {
        window.setRoom(Math.max(1, grant - owed - donesSent));
    }

    /**
     * Ends the calls whose time is over; the whole connection if its responder says nothing at all.
     *
     * @param replyOverdue whether a reply is being read whose call should have ended by now
     */
    void endOverdue(long nowNanos, boolean replyOverdue) {
        CallWindow.Overdue<PendingCall> found = window.takeOverdue(nowNanos);
        boolean unsent = found.calls().stream().anyMatch(call -> !hasLeft(call));
        if (queuePair.connected() && (found.responderSilent() || unsent || replyOverdue)) {
            overdue.addAll(found.calls());
            queuePair.abort("the responder does not answer");
            return;
        }
        found.calls().forEach(CallSender::timeOut);
    }

    private static void timeOut(PendingCall call) {
        call.fail(Failure.TIMED_OUT, "call " + call.xid());
    }

    /** The connection has ended; the calls whose time was over end first. */
    void stop() {
        ended = true;
        overdue.forEach(CallSender::timeOut);
        overdue.clear();
    }

    /** All that is known of the connection's replies has been told: the other calls fail. */
    void close(String detail) {
        window.close().forEach(call -> call.fail(Failure.DISCONNECTED, detail));
    }
}
