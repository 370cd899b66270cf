package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicBoolean;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.trace.CallTrace;

/** One call that came as a record. Holds the record's buffer until it ends; see {@link InboundCall}. */
final class TcpCall implements InboundCall {
    private final ReplyWriter replies;
    private final ByteBuf record;
    private final int lengthBytes;
    private final XdrStream arguments;
    private final CallTrace trace;
    private final AtomicBoolean ended = new AtomicBoolean();

    TcpCall(ReplyWriter replies, ByteBuf record, CallTrace trace) {
        this.trace = trace;
        this.replies = replies;
        this.record = record;
        this.lengthBytes = record.readableBytes();
        this.arguments = XdrStream.of(record.nioBuffer());
    }

    CallTrace trace() {
        return trace;
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
    public void reply(RpcMessage reply) {
        if (!ended.compareAndSet(false, true)) {
            reply.release();
            throw new IllegalStateException("a call ended twice");
        }
        replies.endLater(this, reply);
    }

    /** Gives up the call if nobody has ended it: whoever was to run it has failed. */
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
