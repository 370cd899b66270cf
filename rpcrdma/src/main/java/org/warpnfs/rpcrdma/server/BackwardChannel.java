package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.Each;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;

/**
 * Sends our own calls to the requester on its connection (RFC 8167). They are inline only, and have XIDs and credits of
 * their own.
 *
 * <h2>Operation</h2>
 *
 * One call may be outstanding until the requester's first reply, then as many as it grants and we have receive buffers
 * for. Further calls wait, up to a limit, so that a requester that answers nothing does not make us store all of them.
 * A call that is not answered or not sent within its time limit is given up.
 *
 * <h2>Buffers</h2>
 *
 * A call's payloads are copied into the message and released at once.
 *
 * <h2>Errors</h2>
 *
 * A call that cannot be sent is reported to its sender. A call that is not answered is returned by {@link #expire}.
 * Neither affects other calls. For the owner thread only.
 */
final class BackwardChannel {
    /**
     * The most calls that wait for a credit, of 4 KiB each. It exceeds the number of callbacks to a client of which 16
     * delegations are recalled at once.
     */
    static final int MAX_WAITING = 64;

    private static final class Age {
        private long seenNanos;
        private boolean seen;

        /** True if the first check was longer ago than the limit. */
        boolean over(long nowNanos, Duration limit) {
            if (!seen) {
                seen = true;
                seenNanos = nowNanos;
            }
            return nowNanos - seenNanos > limit.toNanos();
        }
    }

    private record Waiting(long xid, ByteBuffer message, Consumer<@Nullable String> sent, Age age) {}

    /** Posts one message that needs no reply buffers of its own. */
    interface Sender {
        void send(RpcRdmaHeader header, ByteBuffer message);
    }

    private final int maxOutstanding;
    private final Duration replyLimit;
    private final Sender sender;
    private final Map<Long, Age> outstanding = new LinkedHashMap<>();
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private int granted = 1;

    /** @param replyLimit how long a call may wait to be sent, and then again for its reply */
    BackwardChannel(int maxOutstanding, Duration replyLimit, Sender sender) {
        this.maxOutstanding = maxOutstanding;
        this.replyLimit = replyLimit;
        this.sender = sender;
    }

    /**
     * Sends a call or queues it.
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
        } else if (known(call.xid())) {
            refusal = "a backward call with XID " + call.xid() + " is not over yet";
        }
        if (refusal != null) {
            call.release();
            sent.accept(refusal);
            return;
        }
        ByteBuffer message = call.flatten();
        waiting.add(new Waiting(Integer.toUnsignedLong(message.getInt(0)), message, sent, new Age()));
        sendWaiting();
    }

    private boolean known(long xid) {
        return outstanding.containsKey(xid) || waiting.stream().anyMatch(call -> call.xid == xid);
    }

    /**
     * A message has arrived whose direction word says that it is a reply.
     *
     * @param credits the grant in its header
     * @return false if it answers no call of ours
     */
    boolean replied(long xid, long credits) {
        if (outstanding.remove(xid) == null) {
            return false;
        }
        granted = Math.clamp(credits, 1, maxOutstanding);
        sendWaiting();
        return true;
    }

    /**
     * Gives up calls that have waited for too long. To be called regularly.
     *
     * @param nowNanos a clock that never goes back
     * @return the XIDs of calls that were sent and not answered; a later reply to them is ignored
     */
    List<Long> expire(long nowNanos) {
        List<Long> lost = new ArrayList<>();
        for (Iterator<Map.Entry<Long, Age>> each = outstanding.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Long, Age> call = each.next();
            if (call.getValue().over(nowNanos, replyLimit)) {
                each.remove();
                lost.add(call.getKey());
            }
        }
        List<Waiting> unsent = new ArrayList<>();
        for (Iterator<Waiting> each = waiting.iterator(); each.hasNext(); ) {
            Waiting call = each.next();
            if (call.age.over(nowNanos, replyLimit)) {
                each.remove();
                unsent.add(call);
            }
        }
        Each.of(unsent, call -> call.sent.accept("the requester leaves backward calls unanswered"));
        sendWaiting();
        return lost;
    }

    /** The connection has ended. */
    void close() {
        outstanding.clear();
        List<Waiting> unsent = List.copyOf(waiting);
        waiting.clear();
        Each.of(unsent, call -> call.sent.accept("the connection has ended"));
    }

    private void sendWaiting() {
        while (outstanding.size() < granted) {
            Waiting call = waiting.poll();
            if (call == null) {
                return;
            }
            outstanding.put(call.xid, new Age());
            sender.send(new RdmaMsg(call.xid, maxOutstanding, ChunkLists.NONE), call.message);
            call.sent.accept(null);
        }
    }
}
