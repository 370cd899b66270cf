package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.chunk.CallLayout;
import org.warpnfs.rpcrdma.credit.CreditLedger;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.trace.CallTrace;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * Makes calls of the messages that arrive on one connection, and brings them to their end.
 *
 * <h2>Operation</h2>
 *
 * Each message is a call, a reply to a backward call, an RDMA_DONE, or a breach. A call goes up when its last byte is here. While the
 * connection drains no call does: its requester repeats it on the next one. A call whose XID is still in flight is dropped, since
 * the reply to the first answers both.
 *
 * <h2>Buffers</h2>
 *
 * A receive buffer stays with its call until that ends; all others are posted again at once.
 *
 * <h2>Errors</h2>
 *
 * A header that makes no sense is answered with RDMA_ERROR (RFC 8166 section 4.5) and costs the requester nothing more. One that
 * overruns its credits loses the connection. Owner thread only.
 */
final class CallReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(CallReceiver.class);

    /** The parts of the connection that a call passes through, in this order. */
    record Way(
            QueuePair queuePair,
            ReceiveBuffers receives,
            CreditLedger credits,
            MemoryQueue memory,
            ChunkPuller puller,
            RunQueue runs,
            CallAnswerer answerer) {}

    private final RpcRdmaConnection connection;
    private final ResponderContext context;
    private final TransportStatistics statistics;
    private final Way way;
    private final EndedCalls endings;
    private final BackwardChannel backward;
    private final ExposedReplies exposed;
    private final Set<Long> xidsInFlight = new HashSet<>();

    /** Calls that have not been handed up. */
    private final Set<RdmaCall> incomplete = new LinkedHashSet<>();

    private @Nullable InboundHandler handler;
    private boolean draining;

    /** @param endings brings calls back to {@link #end} */
    CallReceiver(
            RpcRdmaConnection connection,
            ResponderContext context,
            Way way,
            EndedCalls endings,
            BackwardChannel backward,
            ExposedReplies exposed) {
        this.connection = connection;
        this.context = context;
        this.statistics = context.statistics();
        this.way = way;
        this.endings = endings;
        this.backward = backward;
        this.exposed = exposed;
    }

    /** The connection is established; calls go up to here. */
    void opened(InboundHandler up) {
        handler = up;
    }

    /** From here on calls are dropped. */
    void drain() {
        draining = true;
    }

    /** The connection has ended: incomplete calls never run. */
    void close() {
        incomplete.forEach(call -> {
            statistics.increment(Counter.CALLS_DROPPED);
            statistics.add(Counter.CREDITS_IN_USE, -1);
            way.memory.release(call);
        });
        incomplete.clear();
        if (handler != null) {
            handler.closed();
        }
    }

    /** A message has arrived whole. */
    void received(Completion.Received received) {
        int number = (int) received.workRequestId();
        ByteBuffer message = received.buffer();
        statistics.add(Counter.INLINE_RECEIVED_BYTES, message.remaining());
        try {
            switch (RpcRdmaHeader.parse(message, context.options().headerLimits())) {
                case RdmaMsg msg -> message(number, msg, message);
                case RdmaNomsg nomsg -> {
                    CallLayout layout =
                            CallLayout.ofLong(nomsg.xid(), nomsg.lists().readList());
                    call(number, nomsg, nomsg.lists(), layout, message);
                }
                case RdmaMsgp msgp -> {
                    statistics.increment(Counter.PADDED_CALLS);
                    call(number, msgp, msgp.lists(), CallLayout.ofPadded(msgp, message.remaining()), message);
                }
                case RdmaDone done -> done(number, done);
                case RdmaErrorVers ignored -> ignore(number);
                case RdmaErrorChunk ignored -> ignore(number);
            }
        } catch (RpcRdmaViolation violation) {
            LOG.debug("{}: {}", connection, violation.getMessage());
            post(number);
            way.answerer.refuse(violation);
        }
    }

    private void message(int number, RdmaMsg msg, ByteBuffer message) throws RpcRdmaViolation {
        if (msg.lists().isEmpty() && isReply(message)) {
            backwardReply(number, msg, message);
            return;
        }
        CallLayout layout = CallLayout.ofInline(msg.xid(), msg.lists().readList(), message.remaining());
        call(number, msg, msg.lists(), layout, message);
    }

    /** RPC says the direction in its second word: 1 is a reply (RFC 5531 section 9). */
    private static boolean isReply(ByteBuffer message) {
        return message.remaining() >= 8 && message.getInt(message.position() + 4) == 1;
    }

    private void backwardReply(int number, RdmaMsg msg, ByteBuffer message) {
        ByteBuffer copy = ByteBuffer.allocate(message.remaining()).put(message).flip();
        post(number);
        InboundHandler up = handler;
        if (up != null && backward.replied(msg.xid(), msg.credits())) {
            statistics.increment(Counter.BACKWARD_REPLIES_RECEIVED);
            up.backwardReply(XdrStream.of(copy));
        } else {
            statistics.increment(Counter.MESSAGES_IGNORED);
        }
    }

    private void done(int number, RdmaDone done) {
        post(number);
        if (!exposed.done(done.xid())) {
            statistics.increment(Counter.MESSAGES_IGNORED);
        }
    }

    private void ignore(int number) {
        statistics.increment(Counter.MESSAGES_IGNORED);
        post(number);
    }

    private void post(int number) {
        way.receives.post(way.queuePair, number);
    }

    private void call(int number, RpcRdmaHeader header, ChunkLists lists, CallLayout layout, ByteBuffer inline)
            throws RpcRdmaViolation {
        CallTrace trace = new CallTrace(header.xid(), connection);
        RdmaCall call = new RdmaCall(endings, trace, header, lists, layout, number, inline);
        long sinkBytes = call.sinkBytes();
        if (sinkBytes > context.pool().maxLengthBytes()) {
            throw RpcRdmaViolation.chunk(header.xid(), "Read chunks of " + sinkBytes + " bytes");
        }
        if (sinkBytes > 0 && way.puller.maxReads() == 0) {
            throw RpcRdmaViolation.chunk(header.xid(), "Read chunks from a requester that holds no RDMA Reads");
        }
        if (draining) {
            statistics.increment(Counter.CALLS_DROPPED);
            post(number);
            return;
        }
        if (!way.credits.callReceived()) {
            statistics.increment(Counter.CREDIT_OVERRUNS);
            statistics.increment(Counter.CONNECTIONS_ABORTED);
            LOG.info("{} overran its {} credits", connection, way.credits.buffers());
            way.queuePair.abort("credit overrun");
            return;
        }
        if (!xidsInFlight.add(call.xid())) {
            statistics.increment(Counter.DUPLICATE_XIDS);
            way.credits.callEnded();
            post(number);
            return;
        }
        count(call, message(header, inline));
        incomplete.add(call);
        if (sinkBytes == 0) {
            complete(call);
        } else {
            way.memory.add(call);
        }
    }

    private static long message(RpcRdmaHeader header, ByteBuffer inline) {
        return header.encodedLengthBytes() + (long) inline.remaining();
    }

    private void count(RdmaCall call, long inlineBytes) {
        CallLayout layout = call.layout();
        statistics.increment(Counter.CALLS_RECEIVED);
        statistics.add(Counter.CREDITS_IN_USE, 1);
        statistics.add(Counter.READ_CHUNKS, layout.chunks().size() - (layout.longCall() ? 1 : 0));
        statistics.add(Counter.WRITE_CHUNKS, call.lists().writeList().size());
        if (call.lists().replyChunk().isPresent()) {
            statistics.increment(Counter.REPLY_CHUNKS_OFFERED);
        }
        if (layout.longCall()) {
            statistics.increment(Counter.LONG_CALLS);
        }
        long writeBytes = 0;
        for (WriteChunk chunk : call.lists().writeList()) {
            writeBytes += chunk.lengthBytes();
        }
        long replyBytes = call.lists().replyChunk().map(WriteChunk::lengthBytes).orElse(0L);
        call.trace().received(new CallTrace.Sizes(inlineBytes, layout.lengthBytes(), writeBytes, replyBytes));
    }

    /** The call's last byte is here. */
    void complete(RdmaCall call) {
        if (call.assemble()) {
            way.runs.add(call);
            return;
        }
        incomplete.remove(call);
        giveBack(call);
        post(call.receiveNumber());
        way.answerer.refuse(call, "the message is of another XID than its header");
    }

    /** It is the call's turn. */
    void run(RdmaCall call) {
        InboundHandler up = handler;
        if (up == null) {
            throw new IllegalStateException("a call before the connection was established");
        }
        incomplete.remove(call);
        statistics.add(Counter.CALLS_RUNNING, 1);
        up.call(call);
    }

    /** A call that ran has ended. */
    void end(RdmaCall call, @Nullable RpcMessage reply) {
        statistics.add(Counter.CALLS_RUNNING, -1);
        giveBack(call);
        boolean connected = way.queuePair.connected();
        if (connected) {
            post(call.receiveNumber());
        }
        if (reply != null && connected) {
            way.answerer.reply(call, reply);
        } else {
            statistics.increment(Counter.CALLS_DROPPED);
            if (reply != null) {
                reply.release();
            }
        }
        way.runs.ended();
    }

    private void giveBack(RdmaCall call) {
        xidsInFlight.remove(call.xid());
        statistics.add(Counter.CREDITS_IN_USE, -1);
        way.memory.release(call);
        way.credits.callEnded();
    }
}
