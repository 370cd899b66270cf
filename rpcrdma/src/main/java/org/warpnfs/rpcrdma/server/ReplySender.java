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
import org.warpnfs.limits.Each;
import org.warpnfs.rpcrdma.chunk.SinkWrite;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;

/**
 * Posts the output of a connection: RDMA Writes, and after them the Send that reports them (RFC 5040, section 5.5).
 *
 * <h2>Operation</h2>
 *
 * A message and its Writes are posted together or wait together. So the send queue never exceeds its depth, and no
 * other message comes between them.
 *
 * <p>While an answer waits, it holds the receive buffer and the credit of the message that it answers. It gives them
 * back just before it is posted, because the requester may send its next call as soon as it has the reply, and that
 * call needs a receive. The completion of the Send would be too late: a batch of Sends completes as a whole, when the
 * requester may have received the first reply already. So a requester that takes nothing is stopped by its own credits,
 * once replies use up all work requests that may be posted.
 *
 * <h2>Buffers</h2>
 *
 * Owns the payloads of a reply until its Send has completed, with success or flushed. Until then all memory of the
 * message counts as held: header, XDR and payloads.
 *
 * <h2>Errors</h2>
 *
 * None of its own. After the end of the connection everything completes as flushed. For the owner thread only.
 */
final class ReplySender {
    /**
     * Is told about an outbound message. Each action runs once, in this order.
     *
     * @param posting runs just before the message is posted, or when the connection has ended first
     * @param left runs when the last byte has been sent, or never will be
     */
    record Leaving(Runnable posting, Runnable left) {
        /** For a message without such actions. */
        static final Leaving UNNOTICED = new Leaving(() -> {}, () -> {});
    }

    /**
     * An outbound message.
     *
     * @param writes the RDMA Writes to post before the Send, in this order
     * @param inline the bytes after the header
     * @param invalidate a steering tag of the requester that the Send invalidates
     * @param owned released when the last byte has been sent
     * @param leaving is told about the message
     */
    record Outgoing(
            List<SinkWrite> writes,
            RpcRdmaHeader header,
            List<ByteBuffer> inline,
            OptionalLong invalidate,
            RpcMessage owned,
            Leaving leaving) {
        /** A message that answers nothing or has no payload. It has no Writes and no memory to give back. */
        static Outgoing plain(RpcRdmaHeader header, List<ByteBuffer> inline, Leaving leaving) {
            return new Outgoing(
                    List.of(), header, inline, OptionalLong.empty(), RpcMessage.of(ByteBuffer.allocate(0)), leaving);
        }

        private long writtenBytes() {
            long bytes = 0;
            for (int i = 0; i < writes.size(); i++) {
                SinkWrite write = writes.get(i);
                bytes += write.lengthBytes();
            }
            return bytes;
        }

        private long sentBytes() {
            long bytes = header.encodedLengthBytes();
            for (int i = 0; i < inline.size(); i++) {
                ByteBuffer piece = inline.get(i);
                bytes += piece.remaining();
            }
            return bytes;
        }

        private long heldBytes() {
            // A message without an RPC message holds the bytes that it sends.
            return Math.max(header.encodedLengthBytes() + owned.lengthBytes(), sentBytes());
        }
    }

    private record Posted(Outgoing message, long heldBytes) {}

    private final QueuePair queuePair;
    private final int maxPosted;
    private final TransportStatistics statistics;
    private final Queue<Outgoing> waiting = new ArrayDeque<>();
    private final Map<Long, Posted> sends = new HashMap<>();
    private final Map<Long, Long> writes = new HashMap<>();
    private long heldBytes;
    private long untakenBytes;
    private long takenBytes;
    private long nextId;
    private boolean posting;

    ReplySender(QueuePair queuePair, int maxPosted, TransportStatistics statistics) {
        this.queuePair = queuePair;
        this.maxPosted = maxPosted;
        this.statistics = statistics;
    }

    /** The most RDMA Writes in one reply. */
    int maxWrites() {
        return maxPosted - 1;
    }

    /** Whether RDMA Writes may send from files. */
    boolean takesFileRanges() {
        return queuePair.takesFileRanges();
    }

    /** Sends a message after its Writes, and takes ownership of its payloads. */
    void send(Outgoing message) {
        hold(message.heldBytes());
        untakenBytes += message.writtenBytes() + message.sentBytes();
        waiting.add(message);
        postWaiting();
    }

    /** An RDMA Write has completed. */
    void written(long workRequestId) {
        Long bytes = writes.remove(workRequestId);
        if (bytes == null) {
            throw new IllegalStateException("RDMA Write " + workRequestId + " was never posted");
        }
        taken(bytes);
        postWaiting();
    }

    /** A Send has completed. */
    void sent(long workRequestId) {
        Posted posted = sends.remove(workRequestId);
        if (posted == null) {
            throw new IllegalStateException("Send " + workRequestId + " was never posted");
        }
        taken(posted.message.sentBytes());
        release(posted);
        postWaiting();
    }

    /** The memory of messages that have not been sent completely. */
    long heldBytes() {
        return heldBytes;
    }

    /** Bytes that the requester has not taken yet. */
    long untakenBytes() {
        return untakenBytes;
    }

    /** Bytes that the requester has ever taken. */
    long takenBytes() {
        return takenBytes;
    }

    /** The number of messages that wait until others have been sent. */
    int waiting() {
        return waiting.size();
    }

    /** True if no message is posted or waits. */
    boolean idle() {
        return posted() == 0 && waiting.isEmpty();
    }

    /** The connection has ended, and all posted work has completed. The waiting messages are dropped. */
    void close() {
        // What was posted has completed, unless posting a message failed half way.
        Queue<Posted> failed = new ArrayDeque<>(sends.values());
        sends.clear();
        Each.inOrder(() -> Each.leaving(waiting, this::drop), () -> Each.leaving(failed, this::release));
    }

    private void drop(Outgoing message) {
        Each.inOrder(message.leaving.posting, () -> release(new Posted(message, message.heldBytes())));
    }

    private int posted() {
        return sends.size() + writes.size();
    }

    private void taken(long bytes) {
        untakenBytes -= bytes;
        takenBytes += bytes;
    }

    private void hold(long bytes) {
        heldBytes += bytes;
        statistics.add(Counter.REPLY_BYTES_HELD, bytes);
    }

    private void release(Posted posted) {
        hold(-posted.heldBytes);
        try {
            posted.message.owned.release();
        } finally {
            posted.message.leaving.left.run();
        }
    }

    private void postWaiting() {
        if (posting) {
            // A provider may complete work while it is being posted. The loop below continues with the next message.
            return;
        }
        posting = true;
        try {
            Outgoing message = waiting.peek();
            while (message != null && queuePair.connected() && message.writes.size() + 1 <= maxPosted - posted()) {
                waiting.remove();
                post(message);
                message = waiting.peek();
            }
        } finally {
            posting = false;
        }
    }

    private void post(Outgoing message) {
        // All state is updated before the message is posted.
        long sendId = nextId++;
        sends.put(sendId, new Posted(message, message.heldBytes()));
        message.leaving.posting.run();
        for (int i = 0; i < message.writes.size(); i++) {
            SinkWrite write = message.writes.get(i);
            statistics.increment(Counter.RDMA_WRITES);
            long id = nextId++;
            writes.put(id, (long) write.lengthBytes());
            queuePair.post(write.request(id));
        }
        if (message.invalidate.isPresent()) {
            statistics.increment(Counter.INVALIDATIONS_SENT);
        }
        statistics.add(Counter.INLINE_SENT_BYTES, message.sentBytes());
        List<ByteBuffer> gather = new ArrayList<>(1 + message.inline.size());
        gather.add(message.header.encoded());
        gather.addAll(message.inline);
        queuePair.post(new WorkRequest.Send(sendId, gather, false, message.invalidate));
    }
}
