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
 * Calls may be made at any time and are sent when the responder has room for them. Replies come in any order. Safe for
 * any thread.
 *
 * <h2>Buffers</h2>
 *
 * A message, its payloads and the offered memory belong to the requester until the handler is called. By then the
 * payloads have been released.
 *
 * <h2>Errors</h2>
 *
 * The handler of every call is called exactly once: see {@link RequestException.Failure}.
 */
public interface Requester extends AutoCloseable {
    /** No deadline. The call ends at the latest with the connection. */
    long NO_DEADLINE = Long.MAX_VALUE;

    /**
     * The deadline of a call that is made now, by {@link System#nanoTime}. A timeout of centuries gives
     * {@link #NO_DEADLINE}.
     */
    static long deadlineNanos(Duration timeout) {
        return timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE / 2)) > 0
                ? NO_DEADLINE
                : System.nanoTime() + timeout.toNanos();
    }

    /**
     * Makes a call.
     *
     * @param message the RPC message; no other outstanding call may have its XID
     * @param offer memory for the parts of the reply that do not come inline
     * @param deadlineNanos the time from which {@link #endOverdue} may end the call, on its clock; or
     *     {@link #NO_DEADLINE}
     * @throws IllegalArgumentException if the message is too short for an XID
     */
    void call(RpcMessage message, ChunkOffer offer, long deadlineNanos, ReplyHandler handler);

    /** Ends calls whose deadline has passed. Also ends the connection if the responder does not answer at all. */
    void endOverdue(long nowNanos);

    /** True while calls can be sent at once. */
    boolean open();

    /** The local address of the latest connection; 0.0.0.0:0 before the first. */
    InetSocketAddress localAddress();

    /** The responder's address. */
    InetSocketAddress remoteAddress();

    /** Ends the connection. Outstanding calls fail. */
    @Override
    void close();

    /** Makes a call without a deadline, and copies its reply. */
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
