package org.warpnfs.rpcrdma.server;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.rpcrdma.chunk.CallLayout;
import org.warpnfs.rpcrdma.credit.CreditLedger;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.StallWatch;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.wire.ChunkLists;
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
 * The responder's end of one RDMA connection.
 *
 * <h2>Operation</h2>
 *
 * Each message that arrives is a call, a reply to a backward call, or a breach. A call's chunks are pulled ({@link
 * MemoryQueue}, {@link ChunkPuller}) and it is handed up when its last byte has been placed; its reply is planned
 * ({@link CallAnswerer}), its RDMA Writes are posted, then its Send ({@link ReplySender}). Replies of one moment leave with one flush. {@link RdmaCall} holds the
 * states of a call.
 *
 * <h2>Buffers</h2>
 *
 * A receive buffer stays with its call until the call ends and is posted again before the reply that gives its credit back.
 *
 * <h2>Errors</h2>
 *
 * A header that makes no sense is answered with RDMA_ERROR (RFC 8166 section 4.5) and costs the requester nothing more. A
 * requester that overruns its credits loses the connection. When the connection ends, calls that are not complete are dropped:
 * none runs with half of its data.
 *
 * <p>All but {@link #abort}, {@link #sendBackwardCall}, the addresses and {@link #open} is for the owner thread.
 */
public final class RpcRdmaConnection implements QueuePairHandler, RpcConnection {
    private static final Logger LOG = LoggerFactory.getLogger(RpcRdmaConnection.class);

    private record Ending(RdmaCall call, @Nullable RpcMessage reply) {}

    /** What exists from the making of the queue pair on. */
    private record Parts(
            QueuePair queuePair,
            ReceiveBuffers receives,
            CreditLedger credits,
            MemoryQueue memory,
            ChunkPuller puller,
            RunQueue runs,
            ReplySender sender,
            CallAnswerer answerer,
            BackwardChannel backward) {}

    private final ResponderContext context;
    private final TransportStatistics statistics;
    private final PrivateData peer;
    private final StallWatch stallWatch;
    private final InetSocketAddress remoteAddress;
    private final int firstBuffers;
    private final Consumer<RpcRdmaConnection> gone;
    private final Queue<Ending> endings = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean endingsScheduled = new AtomicBoolean();
    private volatile @Nullable Parts parts;
    private volatile boolean open;
    private volatile @Nullable InetSocketAddress localAddress;
    private @Nullable InboundHandler handler;
    private volatile boolean draining;

    /** Calls that have not been handed up. */
    private final Set<RdmaCall> incomplete = new LinkedHashSet<>();

    /**
     * @param peer what the requester said while connecting
     * @param firstBuffers receive buffers taken from the budget for this connection; it gives them back
     * @param gone hears once that the connection has ended
     */
    RpcRdmaConnection(
            ResponderContext context,
            PrivateData peer,
            InetSocketAddress remoteAddress,
            int firstBuffers,
            Consumer<RpcRdmaConnection> gone) {
        this.context = context;
        this.statistics = context.statistics();
        this.peer = peer;
        this.stallWatch = new StallWatch(context.options().stallLimit().toNanos());
        this.remoteAddress = remoteAddress;
        this.firstBuffers = firstBuffers;
        this.gone = gone;
    }

    // Life of the connection

    @Override
    public void created(QueuePair queuePair) {
        ResponderOptions options = context.options();
        ReceiveBuffers receives = new ReceiveBuffers(options.inlineReceiveBytes());
        ReplySender sender = new ReplySender(queuePair, options.maxPostedWork(), statistics);
        ChunkPuller puller = new ChunkPuller(queuePair, statistics, this::complete);
        CreditLedger credits = new CreditLedger(firstBuffers, Math.max(firstBuffers, options.maxCredits()));
        MemoryQueue memory =
                new MemoryQueue(queuePair, context.pool(), options.maxHeldBytes(), statistics, puller::pull);
        parts = new Parts(
                queuePair,
                receives,
                credits,
                memory,
                puller,
                new RunQueue(options.maxRunning(), options.maxHeldBytes(), sender::heldBytes, this::run),
                sender,
                new CallAnswerer(queuePair, context, peer, receives, credits, memory, sender, firstBuffers),
                new BackwardChannel(
                        options.maxBackwardCalls(), (header, message) -> sendBackward(sender, header, message)));
        receives.grow(queuePair, firstBuffers + options.maxBackwardCalls());
    }

    @Override
    public void established(QueuePair queuePair) {
        localAddress = queuePair.parameters().localAddress();
        open = true;
        statistics.increment(Counter.CONNECTIONS_OPEN);
        parts().answerer.opened();
        handler = context.handlers().opened(this);
        LOG.debug(
                "{} connected, inline threshold {} bytes, ORD {}",
                remoteAddress,
                parts().answerer.inlineLimitBytes(),
                queuePair.parameters().ord());
    }

    @Override
    public void disconnected(QueuePair queuePair, DisconnectReason reason) {
        LOG.debug("{} disconnected: {}, {}", remoteAddress, reason.cause(), reason.detail());
        boolean wasOpen = open;
        open = false;
        Parts p = parts();
        p.memory.close();
        p.puller.close();
        p.runs.close();
        p.sender.close();
        p.backward.close();
        incomplete.forEach(call -> {
            statistics.increment(Counter.CALLS_DROPPED);
            p.memory.release(call);
        });
        incomplete.clear();
        p.answerer.closed();
        if (wasOpen) {
            statistics.add(Counter.CONNECTIONS_OPEN, -1);
        }
        InboundHandler up = handler;
        if (up != null) {
            up.closed();
        }
        gone.accept(this);
    }

    /** Takes no new calls; ends the connection once the last one has been answered. From any thread. */
    void drain() {
        draining = true;
        if (parts != null) {
            onOwnerThread(this::disconnectIfDrained);
        }
    }

    /**
     * Ends the connection if its work has been outstanding for too long and nothing completes: a peer that neither answers RDMA
     * Reads nor takes replies would hold payload memory for ever. To be called every now and then, from any thread.
     *
     * @param nowNanos of a clock that only goes forward
     */
    void endIfStalled(long nowNanos) {
        onOwnerThread(p -> {
            if (stallWatch.stalled(p.puller.outstanding() > 0 || !p.sender.idle(), nowNanos)) {
                statistics.increment(Counter.CONNECTIONS_ABORTED);
                LOG.info(
                        "{} has not taken or given a byte for {}",
                        remoteAddress,
                        context.options().stallLimit());
                p.queuePair.abort("stalled");
            }
        });
    }

    @Override
    public void abort(String reason) {
        onOwnerThread(p -> p.queuePair.abort(reason));
    }

    @Override
    public boolean open() {
        return open;
    }

    @Override
    public InetSocketAddress localAddress() {
        InetSocketAddress address = localAddress;
        if (address == null) {
            throw new IllegalStateException("not connected yet");
        }
        return address;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public String toString() {
        return "rdma " + remoteAddress;
    }

    // What arrives

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        Parts p = parts();
        stallWatch.progressed();
        switch (completion) {
            case Completion.Received received -> received(p, received);
            case Completion.ReadDone done -> p.puller.completed(done);
            case Completion.Written written -> {
                p.sender.written();
                disconnectIfDrained(p);
            }
            case Completion.Sent sent -> {
                p.sender.sent(sent.workRequestId());
                p.runs.runWaiting();
                disconnectIfDrained(p);
            }
        }
    }

    @Override
    public void completionsDrained(QueuePair queuePair) {
        queuePair.flush();
    }

    private void received(Parts p, Completion.Received received) {
        if (received.status() != CompletionStatus.SUCCESS) {
            return;
        }
        int number = (int) received.workRequestId();
        ByteBuffer message = received.buffer();
        statistics.add(Counter.INLINE_RECEIVED_BYTES, message.remaining());
        try {
            switch (RpcRdmaHeader.parse(message, context.options().headerLimits())) {
                case RdmaMsg msg -> message(p, number, msg, message);
                case RdmaNomsg nomsg ->
                    call(
                            p,
                            number,
                            nomsg,
                            nomsg.lists(),
                            CallLayout.ofLong(nomsg.xid(), nomsg.lists().readList()),
                            message);
                case RdmaMsgp msgp ->
                    throw RpcRdmaViolation.chunk(msgp.xid(), "RDMA_MSGP, which RFC 8166 section 4.3 rules out");
                case RdmaDone ignored -> ignore(p, number);
                case RdmaErrorVers ignored -> ignore(p, number);
                case RdmaErrorChunk ignored -> ignore(p, number);
            }
        } catch (RpcRdmaViolation violation) {
            refuse(p, number, violation);
        }
    }

    private void message(Parts p, int number, RdmaMsg msg, ByteBuffer message) throws RpcRdmaViolation {
        if (msg.lists().isEmpty() && isReply(message)) {
            backwardReply(p, number, msg, message);
            return;
        }
        CallLayout layout = CallLayout.ofInline(msg.xid(), msg.lists().readList(), message.remaining());
        call(p, number, msg, msg.lists(), layout, message);
    }

    /** RPC says the direction in its second word: 1 is a reply (RFC 5531 section 9). */
    private static boolean isReply(ByteBuffer message) {
        return message.remaining() >= 8 && message.getInt(message.position() + 4) == 1;
    }

    private void backwardReply(Parts p, int number, RdmaMsg msg, ByteBuffer message) {
        ByteBuffer copy = ByteBuffer.allocate(message.remaining()).put(message).flip();
        p.receives.post(p.queuePair, number);
        InboundHandler up = handler;
        if (up != null && p.backward.replied(msg.xid(), msg.credits())) {
            statistics.increment(Counter.BACKWARD_REPLIES_RECEIVED);
            up.backwardReply(XdrStream.of(copy));
        } else {
            statistics.increment(Counter.MESSAGES_IGNORED);
        }
    }

    private void ignore(Parts p, int number) {
        statistics.increment(Counter.MESSAGES_IGNORED);
        p.receives.post(p.queuePair, number);
    }

    private void refuse(Parts p, int number, RpcRdmaViolation violation) {
        LOG.debug("{}: {}", remoteAddress, violation.getMessage());
        p.receives.post(p.queuePair, number);
        p.answerer.refuse(violation);
    }

    private void call(Parts p, int number, RpcRdmaHeader header, ChunkLists lists, CallLayout layout, ByteBuffer inline)
            throws RpcRdmaViolation {
        RdmaCall call = new RdmaCall(this, header.xid(), header.credits(), lists, layout, number, inline);
        long sinkBytes = call.sinkBytes();
        if (sinkBytes > context.pool().maxLengthBytes()) {
            throw RpcRdmaViolation.chunk(header.xid(), "Read chunks of " + sinkBytes + " bytes");
        }
        if (sinkBytes > 0 && p.queuePair.parameters().ord() == 0) {
            throw RpcRdmaViolation.chunk(header.xid(), "Read chunks from a requester that holds no RDMA Reads");
        }
        if (draining) {
            statistics.increment(Counter.CALLS_DROPPED);
            return;
        }
        if (!p.credits.callReceived()) {
            statistics.increment(Counter.CREDIT_OVERRUNS);
            statistics.increment(Counter.CONNECTIONS_ABORTED);
            LOG.info("{} overran its {} credits", remoteAddress, p.credits.buffers());
            p.queuePair.abort("credit overrun");
            return;
        }
        count(call);
        incomplete.add(call);
        if (sinkBytes == 0) {
            complete(call);
        } else {
            p.memory.add(call);
        }
    }

    private void count(RdmaCall call) {
        statistics.increment(Counter.CALLS_RECEIVED);
        statistics.add(Counter.READ_CHUNKS, call.layout().chunks().size());
        statistics.add(Counter.WRITE_CHUNKS, call.lists().writeList().size());
        if (call.lists().replyChunk().isPresent()) {
            statistics.increment(Counter.REPLY_CHUNKS_OFFERED);
        }
        if (call.layout().longCall()) {
            statistics.increment(Counter.LONG_CALLS);
        }
    }

    /** The call's last byte is here. */
    private void complete(RdmaCall call) {
        call.assemble();
        parts().runs.add(call);
    }

    private void run(RdmaCall call) {
        InboundHandler up = handler;
        if (up == null) {
            throw new IllegalStateException("a call before the connection was established");
        }
        incomplete.remove(call);
        statistics.add(Counter.CALLS_RUNNING, 1);
        up.call(call);
    }

    // What leaves

    /** Ends a call that ran; from any thread. */
    void endLater(RdmaCall call, @Nullable RpcMessage reply) {
        endings.add(new Ending(call, reply));
        if (endingsScheduled.compareAndSet(false, true)) {
            parts().queuePair.execute(this::endCalls);
        }
    }

    private void endCalls() {
        // Cleared first: an ending that is added from here on schedules the next round.
        endingsScheduled.set(false);
        Parts p = parts();
        for (Ending ending = endings.poll(); ending != null; ending = endings.poll()) {
            end(p, ending.call, ending.reply);
        }
        p.queuePair.flush();
        disconnectIfDrained(p);
    }

    private void end(Parts p, RdmaCall call, @Nullable RpcMessage reply) {
        statistics.add(Counter.CALLS_RUNNING, -1);
        p.memory.release(call);
        p.credits.callEnded();
        boolean connected = p.queuePair.connected();
        if (connected) {
            p.receives.post(p.queuePair, call.receiveNumber());
        }
        if (reply != null && connected) {
            p.answerer.reply(call, reply);
        } else {
            statistics.increment(Counter.CALLS_DROPPED);
            if (reply != null) {
                reply.release();
            }
        }
        p.runs.ended();
    }

    @Override
    public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
        onOwnerThread(p -> {
            if (p.queuePair.connected()) {
                p.backward.call(call, p.answerer.inlineLimitBytes(), sent);
                p.queuePair.flush();
            } else {
                call.release();
                sent.accept("the connection has ended");
            }
        });
    }

    private void sendBackward(ReplySender sender, RpcRdmaHeader header, ByteBuffer message) {
        statistics.increment(Counter.BACKWARD_CALLS_SENT);
        sender.send(List.of(), header, List.of(message), OptionalLong.empty(), RpcMessage.of(message));
    }

    private void disconnectIfDrained(Parts p) {
        if (draining && p.credits.inFlight() == 0 && p.sender.idle() && p.queuePair.connected()) {
            p.queuePair.disconnect();
        }
    }

    private Parts parts() {
        Parts p = parts;
        if (p == null) {
            throw new IllegalStateException("used before its queue pair was made");
        }
        return p;
    }

    private void onOwnerThread(Consumer<Parts> task) {
        Parts p = parts();
        p.queuePair.execute(() -> task.accept(p));
    }
}
