package org.warpnfs.rpcrdma.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsg;

/**
 * Answers the calls of the responder on one connection (RFC 8167).
 *
 * <h2>Buffers</h2>
 *
 * A call is a copy of the received message.
 *
 * <h2>Errors</h2>
 *
 * More calls than were granted end the connection. A reply that does not fit inline is dropped. For the owner thread
 * only, but replies may be given on any thread.
 */
final class BackwardAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(BackwardAnswers.class);
    private static final int DIRECTION_OFFSET_BYTES = 4;
    private static final int DIRECTION_CALL = 0;

    private final QueuePair queuePair;
    private final RequesterOptions options;
    private final BackwardCalls calls;
    private final CallSender sender;
    private int running;

    BackwardAnswers(QueuePair queuePair, RequesterOptions options, BackwardCalls calls, CallSender sender) {
        this.queuePair = queuePair;
        this.options = options;
        this.calls = calls;
        this.sender = sender;
    }

    /** Whether a message is a call. The second word of an RPC message is its direction (RFC 5531, section 9). */
    static boolean isCall(RdmaMsg msg, ByteBuffer message) {
        return msg.lists().isEmpty()
                && message.remaining() >= 2 * DIRECTION_OFFSET_BYTES
                && message.getInt(message.position() + DIRECTION_OFFSET_BYTES) == DIRECTION_CALL;
    }

    /** Answers a call. Returns null, or a fault of the call that ends the connection. */
    @Nullable
    String answer(RdmaMsg msg, ByteBuffer message) {
        if (Integer.toUnsignedLong(message.getInt(message.position())) != msg.xid()) {
            return "a backward call with two XIDs";
        }
        if (running == Math.max(1, options.backwardCredits())) {
            return "more backward calls than were granted";
        }
        running++;
        ByteBuffer call = ByteBuffer.allocate(message.remaining()).put(message).flip();
        AtomicBoolean answered = new AtomicBoolean();
        calls.call(call, reply -> {
            if (!answered.compareAndSet(false, true)) {
                throw new IllegalStateException("a backward call answered twice");
            }
            queuePair.execute(() -> send(msg.xid(), reply));
        });
        return null;
    }

    private void send(long xid, ByteBuffer reply) {
        running--;
        if (reply.remaining() > sender.mostInlineBytes()) {
            LOG.atWarn()
                    .addKeyValue("xid", Long.toHexString(xid))
                    .log("backward reply of {} bytes does not fit inline and is dropped", reply.remaining());
            return;
        }
        if (queuePair.connected()) {
            sender.send(new RdmaMsg(xid, options.backwardCredits(), ChunkLists.NONE), List.of(reply));
            queuePair.flush();
        }
    }
}
