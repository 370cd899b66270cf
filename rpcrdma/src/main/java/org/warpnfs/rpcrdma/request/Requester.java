package org.warpnfs.rpcrdma.request;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Makes RPC calls to one responder.
 *
 * <h2>Operation</h2>
 *
 * Calls may be made at any time and are sent as the responder has room for them. Replies come in any order. Safe for
 * any thread.
 *
 * <h2>Buffers</h2>
 *
 * A message and its payloads, and what was offered, belong to the requester until the handler has been called; then the
 * payloads have been released.
 *
 * <h2>Errors</h2>
 *
 * Every call ends, by its handler and exactly once: see {@link RequestException.Failure}.
 */
public interface Requester extends AutoCloseable {
    /** No limit: the call ends with the connection at the latest. */
    long NO_DEADLINE = Long.MAX_VALUE;

    /** The deadline of a call that is made now, by {@link System#nanoTime}; of centuries, {@link #NO_DEADLINE}. */
    static long deadlineNanos(Duration timeout) {
        return timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE / 2)) > 0
                ? NO_DEADLINE
                : System.nanoTime() + timeout.toNanos();
    }

    /**
     * Makes a call.
     *
     * @param message begins with its XID, which no other outstanding call may have
     * @param offer memory for what the reply may bring beside its inline part
     * @param deadlineNanos when {@link #endOverdue} may end the call, by its clock; or {@link #NO_DEADLINE}
     * @throws IllegalArgumentException if the message is too short for an XID
     */
    void call(RpcMessage message, ChunkOffer offer, long deadlineNanos, ReplyHandler handler);

    /** Ends calls whose deadline has passed, and the connection if the responder shows no sign of life. */
    void endOverdue(long nowNanos);

    /** True while calls can be sent at once. */
    boolean open();

    /** Our end of the connection, of the latest one if there have been several; 0.0.0.0:0 before the first. */
    InetSocketAddress localAddress();

    /** The responder's end, likewise. */
    InetSocketAddress remoteAddress();

    /** Ends the connection; calls that are outstanding fail. */
    @Override
    void close();

    /** Makes a call without a deadline, and copies its reply out. */
    default CompletableFuture<RequesterReply> call(RpcMessage message, ChunkOffer offer) {
        CompletableFuture<RequesterReply> result = new CompletableFuture<>();
        call(message, offer, NO_DEADLINE, new ReplyHandler() {
            @Override
            public void replied(XdrStream reply, List<ByteBuffer> written) {
                byte[] copy = new byte[reply.remainingBytes()];
                reply.read(copy, 0, copy.length);
                result.complete(new RequesterReply(ByteBuffer.wrap(copy), written));
            }

            @Override
            public void failed(RequestException why) {
                result.completeExceptionally(why);
            }
        });
        return result;
    }
}
