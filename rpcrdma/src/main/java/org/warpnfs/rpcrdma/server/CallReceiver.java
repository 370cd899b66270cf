package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.chunk.CallLayout;
import org.warpnfs.rpcrdma.credit.CreditLedger;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.server.ReplySender.Leaving;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.trace.CallTrace;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * Brings the calls of one connection to their end.
 *
 * <h2>Operation</h2>
 *
 * A call goes up when its last byte is here. While the connection drains no call does: its requester repeats it on the next one. A
 * call whose XID is still in flight is dropped, since the reply to the first answers both.
 *
 * <h2>Buffers</h2>
 *
 * A receive buffer and a credit stay with their call until its answer leaves ({@link ReplySender}).
 *
 * <h2>Errors</h2>
 *
 * A requester that overruns its credits loses the connection. Owner thread only.
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
    private final Set<Long> xidsInFlight = new HashSet<>();

    /** Calls that have not been handed up. */
    private final Set<RdmaCall> incomplete = new LinkedHashSet<>();

    private @Nullable InboundHandler handler;
    private boolean draining;

    /** @param endings brings calls back to {@link #end} */
    CallReceiver(RpcRdmaConnection connection, ResponderContext context, Way way, EndedCalls endings) {
        this.connection = connection;
        this.context = context;
        this.statistics = context.statistics();
        this.way = way;
        this.endings = endings;
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
            way.memory.release(call);
            giveBack(call);
        });
        incomplete.clear();
        if (handler != null) {
            handler.closed();
        }
    }

    /** Posts a receive buffer whose message is no longer needed. */
    void post(int number) {
        way.receives.post(number);
    }

    /**
     * A message that makes no sense is to be answered.
     *
     * @param violation whose answer is not DROP
     */
    void refuse(int number, RpcRdmaViolation violation) {
        if (creditTaken(number, violation.xid())) {
            way.answerer.refuse(violation, new Leaving(() -> giveBack(number), () -> {}));
        }
    }

    /** A message that has to be answered has come. */
    private boolean creditTaken(int number, long xid) {
        if (way.credits.callReceived()) {
            statistics.add(Counter.CREDITS_IN_USE, 1);
            return true;
        }
        statistics.increment(Counter.CREDIT_OVERRUNS);
        statistics.increment(Counter.CONNECTIONS_ABORTED);
        context.log().admit("credit overrun", connection.client()).ifPresent(more -> LOG.atInfo()
                .addKeyValue("fault", "peer")
                .addKeyValue("peer", connection)
                .addKeyValue("xid", Long.toHexString(xid))
                .addKeyValue("cause", "credit overrun")
                .log("{} overran its {} credits ({} more like it)", connection, way.credits.buffers(), more));
        way.queuePair.abort("credit overrun");
        post(number);
        return false;
    }

    /** A call has come. */
    void call(int number, RpcRdmaHeader header, ChunkLists lists, CallLayout layout, ByteBuffer inline)
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
        if (!creditTaken(number, header.xid())) {
            return;
        }
        if (!xidsInFlight.add(call.xid())) {
            statistics.increment(Counter.DUPLICATE_XIDS);
            giveBack(number);
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
        way.memory.release(call);
        way.answerer.refuse(
                call, "the message is of another XID than its header", new Leaving(() -> giveBack(call), () -> {}));
    }

    /** It is the call's turn. */
    void run(RdmaCall call) {
        incomplete.remove(call);
        statistics.add(Counter.CALLS_RUNNING, 1);
        up().call(call);
    }

    /** A call that ran has ended. */
    void end(RdmaCall call, @Nullable RpcMessage reply) {
        statistics.add(Counter.CALLS_RUNNING, -1);
        way.memory.release(call);
        try {
            if (reply != null && way.queuePair.connected()) {
                way.answerer.reply(call, reply, new Leaving(() -> giveBack(call), () -> way.runs.replyLeft(call)));
            } else {
                statistics.increment(Counter.CALLS_DROPPED);
                giveBack(call);
                way.runs.replyLeft(call);
                if (reply != null) {
                    reply.release();
                }
            }
        } finally {
            way.runs.ended(call);
        }
    }

    /** A call's answer leaves, or it has none. */
    private void giveBack(RdmaCall call) {
        xidsInFlight.remove(call.xid());
        giveBack(call.receiveNumber());
    }

    private void giveBack(int number) {
        statistics.add(Counter.CREDITS_IN_USE, -1);
        way.credits.callEnded();
        post(number);
    }

    /** Where calls go. */
    InboundHandler up() {
        InboundHandler up = handler;
        if (up == null) {
            throw new IllegalStateException("a call before the connection was established");
        }
        return up;
    }
}
