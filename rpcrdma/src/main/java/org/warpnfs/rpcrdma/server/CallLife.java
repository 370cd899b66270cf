package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.chunk.CallLayout;
import org.warpnfs.rpcrdma.credit.CreditLedger;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.server.ReplySender.Leaving;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.trace.CallTrace;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * The life of each call of one connection, from top to bottom.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 *   method     the call                                   goes on with
 *   arrived    is let in ({@link CallAdmission})            a sink, or its turn if it has no Read chunks
 *   sinkGiven  has memory for its data ({@link MemoryQueue}) its RDMA Reads
 *   pulled     is whole ({@link ChunkPuller})               its turn
 *   run        goes up to the program ({@link RunQueue})    whatever the program does
 *   ended      is answered ({@link CallAnswerer})           the reply's way out ({@link ReplySender})
 * </pre>
 *
 * While the connection drains no call begins: its requester repeats it on the next connection.
 *
 * <h2>Buffers</h2>
 *
 * A call's sink is given back when the call has ended, its receive buffer when the answer leaves.
 *
 * <h2>Errors</h2>
 *
 * A call that makes no sense is answered by RDMA_ERROR. When the connection ends, calls that are not complete are
 * dropped: none runs with half of its data. Owner thread only.
 */
final class CallLife implements CallSteps {
    /**
     * What the calls of a connection take from, and give back to.
     *
     * @param exposed replies that the requester reads itself
     */
    record Line(
            QueuePair queuePair,
            ReceiveBuffers receives,
            CreditLedger credits,
            ReplySender sender,
            ExposedReplies exposed) {}

    private final RpcConnection connection;
    private final ResponderContext context;
    private final TransportStatistics statistics;
    private final Line line;
    private final CallAdmission admission;
    private final MemoryQueue memory;
    private final ChunkPuller puller;
    private final RunQueue runs;
    private final EndedCalls endings;
    private final CallAnswerer answerer;

    /** Calls that have not been handed up. */
    private final Set<RdmaCall> incomplete = new LinkedHashSet<>();

    private @Nullable InboundHandler handler;
    private boolean draining;

    /**
     * @param client whose shares the calls take from
     * @param peer what the requester said while connecting
     */
    CallLife(RpcConnection connection, ClientAddress client, ResponderContext context, PrivateData peer, Line line) {
        this.connection = connection;
        this.context = context;
        this.statistics = context.statistics();
        this.line = line;
        admission = new CallAdmission(connection, client, context, line);
        memory = new MemoryQueue(line.queuePair, client, context, this);
        puller = new ChunkPuller(line.queuePair, statistics, this);
        runs = new RunQueue(line.queuePair, client, context, line.sender, this);
        endings = new EndedCalls(line.queuePair, this);
        answerer = new CallAnswerer(context, peer, line, memory);
    }

    /** The connection is established; calls go up to here. */
    void opened(InboundHandler up) {
        handler = up;
        answerer.opened();
    }

    /** Where calls go. */
    InboundHandler up() {
        InboundHandler up = handler;
        if (up == null) {
            throw new IllegalStateException("a call before the connection was established");
        }
        return up;
    }

    ChunkPuller puller() {
        return puller;
    }

    CallAnswerer answerer() {
        return answerer;
    }

    // The life of a call, from top to bottom

    /**
     * A call has come.
     *
     * @param number of the receive buffer that its message is in
     * @param inline what follows its header
     * @throws RpcRdmaViolation if it asks for what cannot be done; then nothing has been taken for it
     */
    void arrived(int number, RpcRdmaHeader header, ChunkLists lists, CallLayout layout, ByteBuffer inline)
            throws RpcRdmaViolation {
        CallTrace trace = new CallTrace(header.xid(), connection);
        RdmaCall call = new RdmaCall(endings, trace, header, lists, layout, number, inline);
        long sinkBytes = call.sinkBytes();
        if (sinkBytes > context.pool().maxLengthBytes()) {
            throw RpcRdmaViolation.chunk(header.xid(), "Read chunks of " + sinkBytes + " bytes");
        }
        if (sinkBytes > 0 && puller.maxReads() == 0) {
            throw RpcRdmaViolation.chunk(header.xid(), "Read chunks from a requester that holds no RDMA Reads");
        }
        if (draining) {
            statistics.increment(Counter.CALLS_DROPPED);
            line.receives.post(number);
            return;
        }
        if (!admission.admit(call)) {
            return;
        }
        count(call, header.encodedLengthBytes() + (long) inline.remaining());
        incomplete.add(call);
        if (sinkBytes == 0) {
            whole(call);
        } else {
            memory.add(call);
        }
    }

    @Override
    public void sinkGiven(RdmaCall call) {
        puller.pull(call);
    }

    @Override
    public void pulled(RdmaCall call) {
        whole(call);
    }

    /** The call's last byte is here. */
    private void whole(RdmaCall call) {
        if (call.assemble()) {
            runs.add(call);
            return;
        }
        incomplete.remove(call);
        memory.release(call);
        answerer.refuse(
                call,
                "the message is of another XID than its header",
                new Leaving(() -> admission.giveBack(call), () -> {}));
    }

    @Override
    public void run(RdmaCall call) {
        incomplete.remove(call);
        statistics.add(Counter.CALLS_RUNNING, 1);
        up().call(call);
    }

    @Override
    public void ended(RdmaCall call, @Nullable RpcMessage reply) {
        statistics.add(Counter.CALLS_RUNNING, -1);
        memory.release(call);
        try {
            if (reply != null && line.queuePair.connected()) {
                answerer.reply(call, reply, new Leaving(() -> admission.giveBack(call), () -> runs.replyLeft(call)));
            } else {
                statistics.increment(Counter.CALLS_DROPPED);
                admission.giveBack(call);
                runs.replyLeft(call);
                if (reply != null) {
                    reply.release();
                }
            }
        } finally {
            runs.ended(call);
        }
    }

    @Override
    public void allEnded() {
        line.queuePair.flush();
        disconnectIfDrained();
    }

    /** A message of the connection has left, so there may be room for the reply of another call. */
    void messageLeft() {
        runs.runWaiting();
        disconnectIfDrained();
    }

    // What is no call

    /**
     * A message that makes no sense is to be answered.
     *
     * @param number of the receive buffer that it is in
     * @param violation whose answer is not DROP
     */
    void refuse(int number, RpcRdmaViolation violation) {
        if (admission.takeCredit(number, violation.xid())) {
            answerer.refuse(violation, new Leaving(() -> admission.giveBack(number), () -> {}));
        }
    }

    // The end of the connection

    /** From here on calls are dropped, and the connection ends once the last one that runs has been answered. */
    void drain() {
        draining = true;
        disconnectIfDrained();
    }

    /** Ends a connection that drains and has nothing left to do; to be called when that may be so. */
    void disconnectIfDrained() {
        if (draining && line.credits.inFlight() == 0 && line.sender.idle() && line.queuePair.connected()) {
            line.queuePair.disconnect();
        }
    }

    /** The connection has ended: nothing is begun any more. */
    void stop() {
        memory.close();
        puller.close();
        runs.close();
    }

    /** The connection has ended, and so has all that it sent: incomplete calls never run. */
    void close() {
        incomplete.forEach(call -> {
            statistics.increment(Counter.CALLS_DROPPED);
            memory.release(call);
            admission.giveBack(call);
        });
        incomplete.clear();
        if (handler != null) {
            handler.closed();
        }
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
}
