package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Each;
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
 * The steps of each call of one connection, from its arrival to its answer.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 *   method     the call                                       goes on with
 *   arrived    is let in ({@link CallAdmission})              a sink, or its turn if it has no Read chunks
 *   sinkGiven  has memory for its data ({@link MemoryQueue})  its RDMA Reads
 *   pulled     is whole ({@link ChunkPuller})                 its turn
 *   run        goes up to the program ({@link RunQueue})      the program
 *   ended      is answered ({@link CallAnswerer})             its reply ({@link ReplySender})
 * </pre>
 *
 * No call begins while the connection drains. Its requester repeats it on the next connection.
 *
 * <h2>Buffers</h2>
 *
 * A call's sink is given back when the call has ended, and its receive buffer when the answer is sent.
 *
 * <h2>Errors</h2>
 *
 * A call that is not valid is answered with RDMA_ERROR. When the connection ends, incomplete calls are dropped, so that
 * no call runs with part of its data. For the owner thread only.
 */
final class CallLife implements CallSteps {
    /**
     * The parts of a connection that its calls use.
     *
     * @param exposed the replies that the requester reads itself
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

    /** Calls that have not been passed up to the program. */
    private final Set<RdmaCall> incomplete = new LinkedHashSet<>();

    private @Nullable InboundHandler handler;
    private boolean draining;

    /**
     * @param client the client whose shares the calls take from
     * @param peer the private data of the requester
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

    /** The connection is established. Calls are passed to {@code up}. */
    void opened(InboundHandler up) {
        handler = up;
        answerer.opened();
    }

    /** The handler that calls are passed to. */
    InboundHandler up() {
        InboundHandler up = handler;
        if (up == null) {
            throw new IllegalStateException("a call arrived before the connection was established");
        }
        return up;
    }

    ChunkPuller puller() {
        return puller;
    }

    CallAnswerer answerer() {
        return answerer;
    }

    // The steps of a call, in order

    /**
     * A call has arrived.
     *
     * @param number the number of its receive buffer
     * @param inline the bytes after its header
     * @throws RpcRdmaViolation if the call asks for something impossible; nothing has been taken for it then
     */
    void arrived(int number, RpcRdmaHeader header, ChunkLists lists, CallLayout layout, ByteBuffer inline)
            throws RpcRdmaViolation {
        CallTrace trace = new CallTrace(header.xid(), connection);
        RdmaCall call = new RdmaCall(endings, trace, header, lists, layout, number, inline);
        call.setTakesRanges(line.sender.takesFileRanges());
        long sinkBytes = call.sinkBytes();
        if (sinkBytes > context.pool().maxLengthBytes()) {
            throw RpcRdmaViolation.chunk(header.xid(), "Read chunks of " + sinkBytes + " bytes");
        }
        if (sinkBytes > 0 && puller.maxReads() == 0) {
            throw RpcRdmaViolation.chunk(header.xid(), "Read chunks from a requester that takes no RDMA Reads");
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

    /** All bytes of the call have arrived. */
    private void whole(RdmaCall call) {
        if (call.assemble()) {
            runs.add(call);
            return;
        }
        incomplete.remove(call);
        memory.release(call);
        answerer.refuse(
                call,
                "the XID of the message is not the XID of its header",
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

    /** A message of the connection has been sent, so there may be room for the reply of another call. */
    void messageLeft() {
        runs.runWaiting();
        disconnectIfDrained();
    }

    // Messages that are no valid calls

    /**
     * Answers a message that is not valid.
     *
     * @param number the number of its receive buffer
     * @param violation a violation whose answer is not DROP
     */
    void refuse(int number, RpcRdmaViolation violation) {
        if (admission.takeCredit(number, violation.xid())) {
            answerer.refuse(violation, new Leaving(() -> admission.giveBack(number), () -> {}));
        }
    }

    // The end of the connection

    /** Drops all calls from now on. The connection ends when the last running call has been answered. */
    void drain() {
        draining = true;
        disconnectIfDrained();
    }

    /** Ends a connection that drains and has nothing left to do. To be called when that may be so. */
    void disconnectIfDrained() {
        if (draining && line.credits.inFlight() == 0 && line.sender.idle() && line.queuePair.connected()) {
            line.queuePair.disconnect();
        }
    }

    /** The connection has ended. No more calls are begun. */
    void stop() {
        Each.inOrder(memory::close, puller::close, runs::close);
    }

    /** The connection has ended, and all its work has completed. Incomplete calls are dropped. */
    void close() {
        List<RdmaCall> dropped = List.copyOf(incomplete);
        incomplete.clear();
        Each.inOrder(() -> Each.of(dropped, this::drop), this::closeHandler);
    }

    private void drop(RdmaCall call) {
        statistics.increment(Counter.CALLS_DROPPED);
        Each.inOrder(() -> memory.release(call), () -> admission.giveBack(call));
    }

    private void closeHandler() {
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
