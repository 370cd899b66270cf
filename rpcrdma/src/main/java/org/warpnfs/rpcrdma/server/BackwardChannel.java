package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;

/**
 * Calls of ours to the requester on its own connection (RFC 8167): inline only, with XIDs and credits of their own.
 *
 * <h2>Operation</h2>
 *
 * One call may be outstanding until the requester's first reply, then as many as it grants and we have receive buffers for.
 * The rest wait, up to a limit: a requester that answers nothing must not make us remember everything.
 *
 * <h2>Buffers</h2>
 *
 * A call's payloads are copied into the message, and released at once.
 *
 * <h2>Errors</h2>
 *
 * What cannot go is reported to its sender and is nobody else's trouble. Owner thread only.
 */
final class BackwardChannel {
    /** Calls that may wait for a credit. */
    private static final int MAX_WAITING = 64;

    private record Waiting(long xid, ByteBuffer message, Consumer<@Nullable String> sent) {}

    /** Posts one message that needs no reply buffers of its own. */
    interface Sender {
        void send(RpcRdmaHeader header, ByteBuffer message);
    }

    private final int maxOutstanding;
    private final Sender sender;
    private final Set<Long> outstanding = new HashSet<>();
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private int granted = 1;

    BackwardChannel(int maxOutstanding, Sender sender) {
        this.maxOutstanding = maxOutstanding;
        this.sender = sender;
    }

    /**
     * Sends a call, or queues it.
     *
     * @param inlineLimitBytes the largest message that the requester receives
     */
    void call(RpcMessage call, int inlineLimitBytes, Consumer<@Nullable String> sent) {
        int headerBytes = new RdmaMsg(0, 0, ChunkLists.NONE).encodedLengthBytes();
        String refusal = null;
        if (maxOutstanding == 0) {
            refusal = "backward calls are switched off";
        } else if (call.xdr().remaining() < 4 || call.lengthBytes() > inlineLimitBytes - headerBytes) {
            refusal = "backward call of " + call.lengthBytes() + " bytes does not fit inline";
        } else if (waiting.size() == MAX_WAITING) {
            refusal = "the requester leaves backward calls unanswered";
        }
        if (refusal != null) {
            call.release();
            sent.accept(refusal);
            return;
        }
        ByteBuffer message = call.flatten();
        waiting.add(new Waiting(Integer.toUnsignedLong(message.getInt(0)), message, sent));
        sendWaiting();
    }

    /**
     * A message with the direction word of a reply has come.
     *
     * @param credits what its header grants
     * @return false if it answers no call of ours
     */
    boolean replied(long xid, long credits) {
        if (!outstanding.remove(xid)) {
            return false;
        }
        granted = Math.clamp(credits, 1, maxOutstanding);
        sendWaiting();
        return true;
    }

    /** The connection has ended. */
    void close() {
        List<Waiting> unsent = List.copyOf(waiting);
        waiting.clear();
        unsent.forEach(call -> call.sent.accept("the connection has ended"));
    }

    private void sendWaiting() {
        while (outstanding.size() < granted) {
            Waiting call = waiting.poll();
            if (call == null) {
                return;
            }
            outstanding.add(call.xid);
            sender.send(new RdmaMsg(call.xid, maxOutstanding, ChunkLists.NONE), call.message);
            call.sent.accept(null);
        }
    }
}
