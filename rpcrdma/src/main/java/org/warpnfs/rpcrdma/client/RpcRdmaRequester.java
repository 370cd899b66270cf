package org.warpnfs.rpcrdma.client;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.CallWindow;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.RequestException.Failure;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.FixedHeader;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;

/**
 * The requester's end of one RDMA connection.
 *
 * <h2>Operation</h2>
 *
 * One call may be outstanding until the first reply, then as many as the last reply granted (RFC 8166 section 3.3.3); the rest
 * wait. Calls of one moment leave with one flush.
 *
 * <h2>Buffers</h2>
 *
 * A call's payloads, sources and sinks are registered while it is outstanding. They are given back when no byte of them is to be
 * sent or placed any more: a reply that overtakes the completion of its call's Send waits for it.
 *
 * <h2>Errors</h2>
 *
 * A reply that makes no sense fails its call and ends the connection; a reply that nobody waits for is dropped. When the
 * connection ends, all calls fail; nothing is repeated ({@link org.warpnfs.rpcrdma.request.ReconnectingRequester} does that). Safe
 * for any thread; handlers are called on the connection's owner thread.
 */
public final class RpcRdmaRequester implements Requester {
    private static final Logger LOG = LoggerFactory.getLogger(RpcRdmaRequester.class);
    private static final int DIRECTION_OFFSET_BYTES = 4;
    private static final int DIRECTION_CALL = 0;
    private static final int MAX_WAITING = 4096;
    private static final int PLAIN_HEADER_BYTES = FixedHeader.ENCODED_BYTES + ChunkLists.NONE.encodedLengthBytes();

    private final RequesterOptions options;
    private final BackwardCalls backwardCalls;
    /** A reply that came before its call's Send has completed. The completion returns what is wrong with it, or null. */
    private record EarlyReply(PendingCall call, Supplier<@Nullable String> completion) {}

    private final CompletableFuture<RpcRdmaRequester> connected = new CompletableFuture<>();
    private final CallWindow<PendingCall> window = new CallWindow<>(1, MAX_WAITING);
    private final Queue<PendingCall> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicInteger submittedCount = new AtomicInteger();
    private final AtomicBoolean submissionScheduled = new AtomicBoolean();
    /** Calls that end with the connection, each for a reason of its own. */
    private final List<PendingCall> overdue = new ArrayList<>();

    private final List<PendingCall> failed = new ArrayList<>();
    private final List<EarlyReply> early = new ArrayList<>();
    private final ReplyPuller puller;
    private final List<ByteBuffer> receives = new ArrayList<>();
    private volatile @Nullable QueuePair queuePair;
    private volatile @Nullable ConnectionParameters parameters;
    private int inlineLimitBytes;
    private boolean ended;
    private long nextSendId;
    private long lastSentId = -1;
    private int backwardCallsRunning;
    private int grant = 1;
    private int donesSent;

    private RpcRdmaRequester(RequesterOptions options, BackwardCalls backwardCalls) {
        this.options = options;
        this.backwardCalls = backwardCalls;
        puller = new ReplyPuller(options.maxReadReplyBytes());
    }

    /**
     * Connects.
     *
     * @param backwardCalls answers the responder's own calls
     */
    public static CompletableFuture<RpcRdmaRequester> connect(
            Connector connector, InetSocketAddress remote, RequesterOptions options, BackwardCalls backwardCalls) {
        RpcRdmaRequester requester = new RpcRdmaRequester(options, backwardCalls);
        ByteBuffer privateData = options.privateData().encoded();
        connector.connect(
                remote, new ConnectOptions(privateData, options.ird(), options.ord()), requester.new Events());
        return requester.connected;
    }

    /** The same, with backward calls that are answered at once: RPC message in, reply out. */
    public static CompletableFuture<RpcRdmaRequester> connect(
            Connector connector,
            InetSocketAddress remote,
            RequesterOptions options,
            UnaryOperator<ByteBuffer> backwardCalls) {
        return connect(connector, remote, options, BackwardCalls.answeredBy(backwardCalls));
    }

    @Override
    public void call(RpcMessage message, ChunkOffer offer, long deadlineNanos, ReplyHandler handler) {
        PendingCall call = new PendingCall(message, offer, deadlineNanos, handler);
        QueuePair qp = queuePair();
        if (submittedCount.incrementAndGet() > MAX_WAITING) {
            submittedCount.decrementAndGet();
            call.fail(Failure.REFUSED, "too many calls wait");
            return;
        }
        submitted.add(call);
        if (submissionScheduled.compareAndSet(false, true)) {
            qp.execute(() -> takeSubmitted(qp));
        }
    }

    /** What was agreed on while connecting. */
    public ConnectionParameters parameters() {
        ConnectionParameters agreed = parameters;
        if (agreed == null) {
            throw new IllegalStateException("not connected yet");
        }
        return agreed;
    }

    @Override
    public InetSocketAddress localAddress() {
        return parameters().localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return parameters().remoteAddress();
    }

    @Override
    public boolean open() {
        QueuePair qp = queuePair;
        return qp != null && qp.connected();
    }

    @Override
    public void endOverdue(long nowNanos) {
        QueuePair qp = queuePair();
        qp.execute(() -> endOverdue(qp, nowNanos));
    }

    @Override
    public void close() {
        QueuePair qp = queuePair();
        qp.execute(qp::disconnect);
    }

    private QueuePair queuePair() {
        QueuePair qp = queuePair;
        if (qp == null) {
            throw new IllegalStateException("not connected yet");
        }
        return qp;
    }

    // Calls on their way out

    private void takeSubmitted(QueuePair qp) {
        // Cleared first: a call that is added from here on schedules the next round.
        submissionScheduled.set(false);
        for (PendingCall call = submitted.poll(); call != null; call = submitted.poll()) {
            submittedCount.decrementAndGet();
            if (ended) {
                call.fail(Failure.DISCONNECTED, "the connection has ended");
            } else if (!window.add(call.xid(), call.deadlineNanos(), call)) {
                call.fail(Failure.REFUSED, "too many calls wait");
            }
        }
        sendWaiting(qp);
        qp.flush();
    }

    private void sendWaiting(QueuePair qp) {
        while (qp.connected()) {
            PendingCall call = window.next(this::refuse);
            if (call == null) {
                return;
            }
            PendingCall.Marshalled marshalled = call.marshal(qp, options.credits(), inlineLimitBytes);
            if (marshalled.header().encodedLengthBytes() > inlineLimitBytes) {
                window.replied(call.xid());
                call.fail(Failure.REFUSED, "chunk lists that the responder cannot receive");
                continue;
            }
            // Set first: a provider may complete work while it is being posted.
            call.setSendId(nextSendId);
            send(qp, marshalled.header(), marshalled.inline());
        }
    }

    private void refuse(PendingCall call) {
        call.fail(Failure.REFUSED, "XID " + call.xid() + " is already outstanding");
    }

    private void send(QueuePair qp, RpcRdmaHeader header, List<ByteBuffer> inline) {
        List<ByteBuffer> gather = new ArrayList<>(1 + inline.size());
        gather.add(header.encoded());
        gather.addAll(inline);
        qp.post(new WorkRequest.Send(nextSendId++, gather, false, OptionalLong.empty()));
    }

    private void endOverdue(QueuePair qp, long nowNanos) {
        CallWindow.Overdue<PendingCall> found = window.takeOverdue(nowNanos);
        boolean unsent = found.calls().stream().anyMatch(call -> call.sendId() > lastSentId);
        if (qp.connected() && (found.responderSilent() || unsent || puller.overdue(nowNanos))) {
            overdue.addAll(found.calls());
            qp.abort("the responder does not answer");
            return;
        }
        found.calls().forEach(RpcRdmaRequester::timeOut);
    }

    private static void timeOut(PendingCall call) {
        call.fail(Failure.TIMED_OUT, "call " + call.xid());
    }

    // What arrives

    /** Returns what is wrong, if it ends the connection. */
    private @Nullable String received(QueuePair qp, ByteBuffer message, OptionalLong invalidated)
            throws RpcRdmaViolation {
        RpcRdmaHeader header = RpcRdmaHeader.parse(message, HeaderLimits.DEFAULT);
        return switch (header) {
            case RdmaMsg msg
            when isBackwardCall(msg, message) ->
                invalidated.isPresent() ? "a backward call that invalidates" : answer(qp, msg, message);
            case RdmaMsg msg -> replied(qp, header, msg.lists(), message, invalidated);
            case RdmaNomsg nomsg -> replied(qp, header, nomsg.lists(), message, invalidated);
            case RdmaErrorVers error -> refused(error, Failure.ERR_VERS);
            case RdmaErrorChunk error -> refused(error, Failure.ERR_CHUNK);
            case RdmaMsgp _ -> "an RDMA_MSGP";
            case RdmaDone _ -> null;
        };
    }

    private boolean isBackwardCall(RdmaMsg msg, ByteBuffer message) {
        return msg.lists().isEmpty()
                && message.remaining() >= 2 * DIRECTION_OFFSET_BYTES
                && message.getInt(message.position() + DIRECTION_OFFSET_BYTES) == DIRECTION_CALL;
    }

    private @Nullable String answer(QueuePair qp, RdmaMsg msg, ByteBuffer message) {
        if (Integer.toUnsignedLong(message.getInt(message.position())) != msg.xid()) {
            return "a backward call with two XIDs";
        }
        if (backwardCallsRunning == Math.max(1, options.backwardCredits())) {
            return "more backward calls than were granted";
        }
        backwardCallsRunning++;
        ByteBuffer call = ByteBuffer.allocate(message.remaining()).put(message).flip();
        AtomicBoolean answered = new AtomicBoolean();
        backwardCalls.call(call, reply -> {
            if (!answered.compareAndSet(false, true)) {
                throw new IllegalStateException("a backward call answered twice");
            }
            qp.execute(() -> sendBackwardReply(qp, msg.xid(), reply));
        });
        return null;
    }

    private void sendBackwardReply(QueuePair qp, long xid, ByteBuffer reply) {
        backwardCallsRunning--;
        if (reply.remaining() > inlineLimitBytes - PLAIN_HEADER_BYTES) {
            LOG.atWarn()
                    .addKeyValue("xid", Long.toHexString(xid))
                    .log("backward reply of {} bytes does not fit inline and is dropped", reply.remaining());
            return;
        }
        if (qp.connected()) {
            send(qp, new RdmaMsg(xid, options.backwardCredits(), ChunkLists.NONE), List.of(reply));
            qp.flush();
        }
    }

    private @Nullable String replied(
            QueuePair qp, RpcRdmaHeader header, ChunkLists lists, ByteBuffer inline, OptionalLong invalidated) {
        if (!window.expects(header.xid())) {
            LOG.atDebug()
                    .addKeyValue("xid", () -> Long.toHexString(header.xid()))
                    .log("a reply to a call that nobody waits for");
            return invalidated.isPresent() ? "an invalidation that belongs to no call" : null;
        }
        PendingCall call = window.replied(header.xid());
        granted(header);
        if (call == null) {
            return null;
        }
        if (invalidated.isPresent() && (!options.remoteInvalidation() || !call.owns(invalidated.getAsLong()))) {
            failed.add(call);
            return "an invalidation that the call did not invite";
        }
        if (call.sendId() > lastSentId) {
            ByteBuffer copy =
                    ByteBuffer.allocate(inline.remaining()).put(inline).flip();
            early.add(new EarlyReply(call, () -> complete(qp, call, header, lists, copy)));
            return null;
        }
        return complete(qp, call, header, lists, inline);
    }

    private @Nullable String complete(
            QueuePair qp, PendingCall call, RpcRdmaHeader header, ChunkLists lists, ByteBuffer inline) {
        if (lists.readList().isEmpty() || options.maxReadReplyBytes() == 0) {
            return call.complete(header, lists, inline);
        }
        String wrong = puller.pull(qp, call, header, lists, inline);
        updateRoom();
        return wrong;
    }

    private void sendDone(QueuePair qp, PendingCall call) {
        send(qp, new RdmaDone(call.xid(), options.credits()), List.of());
        donesSent++;
        updateRoom();
    }

    /** Ends calls whose reply was here before we heard that the last of their bytes had left. */
    private @Nullable String endEarly() {
        String wrong = null;
        for (Iterator<EarlyReply> replies = early.iterator(); replies.hasNext() && wrong == null; ) {
            EarlyReply reply = replies.next();
            if (reply.call.sendId() <= lastSentId) {
                replies.remove();
                wrong = reply.completion.get();
            }
        }
        return wrong;
    }

    private @Nullable String refused(RpcRdmaHeader header, Failure failure) {
        PendingCall call = window.replied(header.xid());
        if (call == null) {
            return null;
        }
        granted(header);
        Supplier<@Nullable String> completion = () -> {
            call.fail(failure, "call " + header.xid());
            return null;
        };
        if (call.sendId() > lastSentId) {
            early.add(new EarlyReply(call, completion));
            return null;
        }
        return completion.get();
    }

    private void granted(RpcRdmaHeader header) {
        grant = (int) Math.clamp(header.credits(), 1L, options.credits());
        donesSent = 0;
        updateRoom();
    }

    /** Each RDMA_DONE that we owe, or of which we do not know whether its buffer is there again, counts (RFC 5666 section 3.8). */
    private void updateRoom() {
        window.setRoom(Math.max(1, grant - puller.owed() - donesSent));
    }

    private final class Events implements QueuePairHandler {
        @Override
        public void created(QueuePair qp) {
            queuePair = qp;
            int count = options.credits() + options.backwardCredits();
            ByteBuffer slab = ByteBuffer.allocateDirect(count * options.inlineReceiveBytes());
            for (int i = 0; i < count; i++) {
                receives.add(slab.slice(i * options.inlineReceiveBytes(), options.inlineReceiveBytes()));
                qp.postReceive(i, receives.get(i));
            }
        }

        @Override
        public void established(QueuePair qp) {
            ConnectionParameters agreed = qp.parameters();
            parameters = agreed;
            PrivateData peer = PrivateData.parse(agreed.peerPrivateData()).orElse(PrivateData.ABSENT);
            inlineLimitBytes = Math.min(options.inlineSendBytes(), peer.receiveBytes());
            connected.complete(RpcRdmaRequester.this);
            sendWaiting(qp);
            qp.flush();
        }

        @Override
        public void completed(QueuePair qp, Completion completion) {
            if (completion.status() != CompletionStatus.SUCCESS) {
                return;
            }
            if (completion instanceof Completion.Sent sent) {
                lastSentId = sent.workRequestId();
                abortIf(qp, early.isEmpty() ? null : endEarly());
            } else if (completion instanceof Completion.Received received) {
                received(qp, received);
            } else if (completion instanceof Completion.ReadDone) {
                abortIf(qp, puller.readDone(qp, call -> sendDone(qp, call)));
                sendWaiting(qp);
            }
        }

        private void received(QueuePair qp, Completion.Received received) {
            String wrong;
            try {
                wrong = RpcRdmaRequester.this.received(qp, received.buffer(), received.invalidatedStag());
            } catch (RpcRdmaViolation violation) {
                wrong = String.valueOf(violation.getMessage());
            }
            if (abortIf(qp, wrong)) {
                return;
            }
            int number = (int) received.workRequestId();
            qp.postReceive(number, receives.get(number).clear());
            sendWaiting(qp);
        }

        private boolean abortIf(QueuePair qp, @Nullable String wrong) {
            if (wrong != null) {
                LOG.info("{} sent {}", qp.parameters().remoteAddress(), wrong);
                qp.abort(wrong);
            }
            return wrong != null;
        }

        @Override
        public void completionsDrained(QueuePair qp) {
            qp.flush();
        }

        @Override
        public void disconnected(QueuePair qp, DisconnectReason reason) {
            ended = true;
            String detail = reason.cause() + ": " + reason.detail();
            connected.completeExceptionally(new RequestException(Failure.DISCONNECTED, detail));
            overdue.forEach(RpcRdmaRequester::timeOut);
            overdue.clear();
            failed.forEach(call -> call.fail(Failure.BAD_REPLY, detail));
            failed.clear();
            early.forEach(reply -> reply.call.fail(Failure.DISCONNECTED, detail));
            early.clear();
            puller.close().forEach(call -> call.fail(Failure.DISCONNECTED, detail));
            window.close().forEach(call -> call.fail(Failure.DISCONNECTED, detail));
        }
    }
}
