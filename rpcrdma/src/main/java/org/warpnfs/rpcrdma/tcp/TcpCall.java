package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.trace.CallTrace;

/** One call that came as a record. It holds the record's buffer until it ends; see {@link InboundCall}. */
final class TcpCall implements InboundCall {
    private final ReplyWriter replies;
    private final HeldCalls held;
    private final ReplyClaim claim;
    private final ByteBuf record;
    private final int lengthBytes;
    private final XdrStream arguments;
    private final CallTrace trace;
    private final AtomicBoolean ended = new AtomicBoolean();
    private @Nullable Runnable later;
    private boolean granted;

    /** @param claim the part of the memory for replies that the call holds */
    TcpCall(ReplyWriter replies, HeldCalls held, ReplyClaim claim, ByteBuf record, CallTrace trace) {
        this.trace = trace;
        this.replies = replies;
        this.held = held;
        this.claim = claim;
        this.record = record;
        this.lengthBytes = record.readableBytes();
        this.arguments = XdrStream.of(record.nioBuffer());
    }

    CallTrace trace() {
        return trace;
    }

    ReplyClaim claim() {
        return claim;
    }

    int lengthBytes() {
        return lengthBytes;
    }

    void releaseRecord() {
        record.release();
    }

    @Override
    public XdrStream arguments() {
        return arguments;
    }

    @Override
    public boolean mayBegin(boolean mayBeLong, Runnable retry) {
        if (granted) {
            granted = false;
            if (!mayBeLong) {
                // From here on the call is bounded by its thread.
                claim.end();
            }
            return true;
        }
        if (claim.mayBegin(mayBeLong)) {
            return true;
        }
        later = retry;
        held.holdLater(this);
        return false;
    }

    /** Accepts the memory that was reserved for the call, and passes the call up again. */
    void begin() {
        granted = true;
        claim.granted();
        Runnable handUp = later;
        if (handUp == null) {
            throw new IllegalStateException("a call that was not held cannot begin later");
        }
        handUp.run();
    }

    @Override
    public boolean holds(long replyBytes) {
        claim.is(ReplyMemory.onHeap(replyBytes));
        return true;
    }

    @Override
    public int maxRangeBytes() {
        return replies.takesRanges() ? Integer.MAX_VALUE : 0;
    }

    @Override
    public void reply(RpcMessage reply) {
        if (!ended.compareAndSet(false, true)) {
            reply.release();
            throw new IllegalStateException("a call ended twice");
        }
        replies.endLater(this, reply);
    }

    /**
     * Ends the call without an answer if it has not ended yet, because it never ran or the code that was to run it has
     * failed.
     */
    void abandon() {
        if (ended.compareAndSet(false, true)) {
            replies.endLater(this, null);
        }
    }

    @Override
    public void drop() {
        if (!ended.compareAndSet(false, true)) {
            throw new IllegalStateException("a call ended twice");
        }
        replies.endLater(this, null);
    }
}
