package org.warpnfs.rpcrdma.udp;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * One call that came as a datagram; see {@link InboundCall}.
 *
 * <h2>Buffers</h2>
 *
 * The call is a copy of its datagram on the heap, and so is the reply.
 */
final class UdpCall implements InboundCall {
    private static final int REPLY = 1;
    private static final int MSG_ACCEPTED = 0;
    private static final int AUTH_NONE = 0;
    private static final int SYSTEM_ERR = 5;

    private final XdrStream arguments;
    private final int xid;
    private final int maxReplyBytes;
    private final Consumer<@Nullable ByteBuffer> end;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param message a message with at least an XID
     * @param end is called once with the reply, or with null if there is none
     */
    UdpCall(ByteBuffer message, int maxReplyBytes, Consumer<@Nullable ByteBuffer> end) {
        this.xid = message.getInt(message.position());
        this.arguments = XdrStream.of(message);
        this.maxReplyBytes = maxReplyBytes;
        this.end = end;
    }

    @Override
    public XdrStream arguments() {
        return arguments;
    }

    @Override
    public void reply(RpcMessage reply) {
        if (!ended.compareAndSet(false, true)) {
            reply.release();
            throw new IllegalStateException("a call ended twice");
        }
        if (reply.lengthBytes() > maxReplyBytes) {
            reply.release();
            UdpCounts.ofProcess().countReplyTooLong();
            end.accept(systemError());
        } else {
            end.accept(reply.flatten());
        }
    }

    /** The shortest error reply that answers any call (RFC 5531, section 9). */
    private ByteBuffer systemError() {
        return ByteBuffer.allocate(6 * Integer.BYTES)
                .putInt(xid)
                .putInt(REPLY)
                .putInt(MSG_ACCEPTED)
                .putInt(AUTH_NONE)
                .putInt(0)
                .putInt(SYSTEM_ERR)
                .flip();
    }

    @Override
    public void drop() {
        if (!ended.compareAndSet(false, true)) {
            throw new IllegalStateException("a call ended twice");
        }
        end.accept(null);
    }

    /** Ends the call without an answer if it has not ended yet, because the code that was to run it has failed. */
    void abandon() {
        if (ended.compareAndSet(false, true)) {
            end.accept(null);
        }
    }
}
