package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.rpcrdma.chunk.SinkWrite;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;

/**
 * Posts what leaves a connection: RDMA Writes, and behind them the Send that tells of them (RFC 5040 section 5.5).
 *
 * <h2>Operation</h2>
 *
 * A message and its Writes are posted together or wait together, so that the send queue never holds more than its depth and
 * no other message comes between them.
 *
 * <h2>Buffers</h2>
 *
 * Owns the payloads of a reply until its Send has completed, with success or flushed.
 *
 * <h2>Errors</h2>
 *
 * None of its own: once the connection has ended everything completes as flushed. Owner thread only.
 */
final class ReplySender {
    private record Owned(RpcMessage message, long payloadBytes) {}

    private record Message(List<SinkWrite> writes, List<ByteBuffer> gather, OptionalLong invalidate, Owned owned) {}

    private final QueuePair queuePair;
    private final int maxPosted;
    private final TransportStatistics statistics;
    private final Queue<Message> waiting = new ArrayDeque<>();
    private final Map<Long, Owned> outstanding = new HashMap<>();
    private long heldBytes;
    private int posted;
    private long nextId;

    ReplySender(QueuePair queuePair, int maxPosted, TransportStatistics statistics) {
        this.queuePair = queuePair;
        this.maxPosted = maxPosted;
        this.statistics = statistics;
    }

    /** The most RDMA Writes that one reply may need. */
    int maxWrites() {
        return maxPosted - 1;
    }

    /**
     * Sends a message behind its Writes.
     *
     * @param owned released when the last byte has left
     */
    void send(
            List<SinkWrite> writes,
            RpcRdmaHeader header,
            List<ByteBuffer> inline,
            OptionalLong invalidate,
            RpcMessage owned) {
        List<ByteBuffer> gather = new ArrayList<>(1 + inline.size());
        gather.add(header.encoded());
        gather.addAll(inline);
        long payloadBytes = owned.lengthBytes() - owned.xdr().remaining();
        heldBytes += payloadBytes;
        waiting.add(new Message(writes, gather, invalidate, new Owned(owned, payloadBytes)));
        postWaiting();
    }

    /** An RDMA Write has ended. */
    void written() {
        posted--;
        postWaiting();
    }

    /** A Send has ended. */
    void sent(long workRequestId) {
        posted--;
        Owned owned = outstanding.remove(workRequestId);
        if (owned == null) {
            throw new IllegalStateException("Send " + workRequestId + " was never posted");
        }
        release(owned);
        postWaiting();
    }

    /** Payload memory in messages that have not left yet. */
    long heldBytes() {
        return heldBytes;
    }

    private void release(Owned owned) {
        heldBytes -= owned.payloadBytes;
        owned.message.release();
    }

    /** True if nothing is posted or waits. */
    boolean idle() {
        return posted == 0 && waiting.isEmpty();
    }

    /** The connection has ended: what was not posted never will be. */
    void close() {
        for (Message message = waiting.poll(); message != null; message = waiting.poll()) {
            release(message.owned);
        }
    }

    private void postWaiting() {
        Message message = waiting.peek();
        while (message != null && queuePair.connected() && message.writes.size() + 1 <= maxPosted - posted) {
            waiting.remove();
            post(message);
            message = waiting.peek();
        }
    }

    private void post(Message message) {
        // Counted first: a provider may complete work while it is being posted.
        posted += message.writes.size() + 1;
        for (SinkWrite write : message.writes) {
            statistics.increment(Counter.RDMA_WRITES);
            queuePair.post(new WorkRequest.RdmaWrite(nextId++, write.source(), write.sink()));
        }
        long id = nextId++;
        outstanding.put(id, message.owned);
        if (message.invalidate.isPresent()) {
            statistics.increment(Counter.INVALIDATIONS_SENT);
        }
        long inlineBytes = 0;
        for (ByteBuffer piece : message.gather) {
            inlineBytes += piece.remaining();
        }
        statistics.add(Counter.INLINE_SENT_BYTES, inlineBytes);
        queuePair.post(new WorkRequest.Send(id, message.gather, false, message.invalidate));
    }
}
