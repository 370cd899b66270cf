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
 * Sends the calls of one connection, as many as its credits allow, and tracks which of them wait for a reply.
 *
 * <h2>Operation</h2>
 *
 * One call may be outstanding until the first reply, then as many as the last reply granted (RFC 8166, section 3.3.3).
 * Each RDMA_DONE that is owed takes the place of a call, and so does each that was sent since the last grant, because
 * its receive buffer may not be posted again yet (RFC 5666, section 3.8).
 *
 * <h2>Buffers</h2>
 *
 * A call's memory is registered when it is sent.
 *
 * <h2>Errors</h2>
 *
 * A call that cannot be sent fails alone. For the owner thread only.
 */
final class CallSender {
    /** The most calls that may wait for credits. */
    static final int MAX_WAITING = 4096;

    private static final int PLAIN_HEADER_BYTES = FixedHeader.ENCODED_BYTES + ChunkLists.NONE.encodedLengthBytes();

    private final QueuePair queuePair;
    private final RequesterOptions options;
    private final CallWindow<PendingCall> window = new CallWindow<>(1, MAX_WAITING);

    /** Calls whose deadline has passed and that fail when the connection has ended. */
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

    /** Sets the longest message, once the connection is established. */
    void setInlineLimit(int mostBytes) {
        inlineLimitBytes = mostBytes;
    }

    /** The most bytes that may follow the header of a message without chunks. */
    int mostInlineBytes() {
        return inlineLimitBytes - PLAIN_HEADER_BYTES;
    }

    /** Adds a call, which {@link #sendWaiting} sends. */
    void add(PendingCall call) {
        if (ended) {
            call.fail(Failure.DISCONNECTED, "the connection has ended");
        } else if (!window.add(call.xid(), call.deadlineNanos(), call)) {
            call.fail(Failure.REFUSED, "too many calls wait");
        }
    }

    /** Sends the calls that may be sent now. */
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
            // Set first, because a provider may complete work while it is being posted.
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

    /** A Send has completed, and so have all before it. */
    void sent(long workRequestId) {
        lastSentId = workRequestId;
    }

    /** Whether all bytes of a call have been sent. */
    boolean hasLeft(PendingCall call) {
        return call.sendId() <= lastSentId;
    }

    /** Whether a reply with this XID is expected, also if its call has timed out. */
    boolean expects(long xid) {
        return window.expects(xid);
    }

    /**
     * A reply has arrived.
     *
     * @return its call; null if the call has timed out
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

    /** Sets the number of replies that are being read. Each needs an RDMA_DONE. */
    void owes(int dones) {
        owed = dones;
        updateRoom();
    }

    /** Tells the responder that a reply has been read, so that it may free the reply's memory. */
    void sendDone(PendingCall call, int stillOwed) {
        send(new RdmaDone(call.xid(), options.credits()), List.of());
        donesSent++;
        owes(stillOwed);
    }

    private void updateRoom() {
        window.setRoom(Math.max(1, grant - owed - donesSent));
    }

    /**
     * Ends the calls whose deadline has passed. Ends the whole connection if its responder does not answer at all.
     *
     * @param replyOverdue whether a reply is being read whose call has passed its deadline
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

    /** The connection has ended. Calls whose deadline had passed fail first. */
    void stop() {
        ended = true;
        overdue.forEach(CallSender::timeOut);
        overdue.clear();
    }

    /** Fails the remaining calls, after all replies of the connection have been processed. */
    void close(String detail) {
        window.close().forEach(call -> call.fail(Failure.DISCONNECTED, detail));
    }
}
