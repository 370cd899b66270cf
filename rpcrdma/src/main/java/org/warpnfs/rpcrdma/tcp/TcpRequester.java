package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.CallWindow;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.RequestException.Failure;
import org.warpnfs.rpcrdma.request.Requester;

/**
 * The requester's end of one TCP connection.
 *
 * <h2>Operation</h2>
 *
 * Calls are sent as records of one fragment, gathered from their pieces. Calls that are made at about the same time are
 * sent with one flush. The memory that a call offers is not used, because a reply carries everything. With TLS, the
 * connection is there when the handshake has succeeded; nothing but the probe goes in clear.
 *
 * <h2>Buffers</h2>
 *
 * A call's payloads are released when it has ended and the socket holds none of them. A reply is lent to its handler
 * and released when that returns.
 *
 * <h2>Errors</h2>
 *
 * A record closes the connection if it is too long, too short for an RPC message, or a reply to a call that has not
 * been sent completely. A reply without a waiting call is dropped. When the connection ends, all calls fail. Safe for
 * any thread. Handlers are called on the channel's event loop, but on the caller's thread once the connector is closed.
 */
final class TcpRequester extends ChannelInboundHandlerAdapter implements Requester {
    private static final Logger LOG = LoggerFactory.getLogger(TcpRequester.class);
    private static final int RPC_MESSAGE_MIN_BYTES = 8;
    private static final int DIRECTION_OFFSET_BYTES = 4;
    private static final int DIRECTION_CALL = 0;
    private static final int DIRECTION_REPLY = 1;
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int MAX_WAITING = 4096;

    /** One call. It ends when the socket has released its bytes and its result is known. */
    private static final class Call {
        private final RpcMessage message;
        private final long xid;
        private final long deadlineNanos;
        private final ReplyHandler handler;
        private boolean posted;
        private boolean written;
        private @Nullable ByteBuf early;
        private @Nullable RequestException failure;

        Call(RpcMessage message, long deadlineNanos, ReplyHandler handler) {
            this.message = message;
            this.xid = message.xid();
            this.deadlineNanos = deadlineNanos;
            this.handler = handler;
        }

        void replied(ByteBuf record) {
            if (written) {
                message.release();
                try {
                    handler.replied(XdrStream.of(record.nioBuffer()), List.of());
                } finally {
                    record.release();
                }
            } else {
                early = record;
            }
        }

        void fail(RequestException why) {
            if (posted && !written) {
                failure = why;
            } else {
                message.release();
                handler.failed(why);
            }
        }

        /** The socket has taken every byte, or never will. */
        void released(boolean success) {
            written = true;
            ByteBuf reply = early;
            early = null;
            if (failure != null) {
                fail(failure);
            } else if (reply != null && success) {
                replied(reply);
                return;
            } else if (reply != null) {
                fail(new RequestException(Failure.DISCONNECTED, "the connection ended before the call was sent"));
            }
            if (reply != null) {
                reply.release();
            }
        }
    }

    private final Channel channel;
    private final TcpRequesterOptions options;
    private final BackwardCalls backwardCalls;
    private final CompletableFuture<Requester> connected;
    private final CallWindow<Call> window;
    private final RecordReader reader;
    private final RecordReads reads;
    private final Queue<Call> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicInteger submittedCount = new AtomicInteger();
    private final AtomicBoolean submissionScheduled = new AtomicBoolean();
    private InetSocketAddress local = new InetSocketAddress(0);
    private InetSocketAddress remote = new InetSocketAddress(0);
    private final @Nullable TlsProbe tls;
    private int backwardCallsRunning;
    private boolean ended;
    private String ending = "the responder closed the connection";

    TcpRequester(
            Channel channel,
            TcpRequesterOptions options,
            BackwardCalls backwardCalls,
            CompletableFuture<Requester> connected) {
        this.channel = channel;
        this.options = options;
        this.backwardCalls = backwardCalls;
        this.connected = connected;
        this.window = new CallWindow<>(options.maxOutstanding(), MAX_WAITING);
        this.reader = new RecordReader(channel.alloc(), options.maxReplyBytes(), RecordBudget.UNLIMITED);
        this.reads = new RecordReads(reader);
        this.tls = options.tls() == null ? null : new TlsProbe(channel, options.tls());
        channel.config().setRecvByteBufAllocator(reads);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        local = (InetSocketAddress) channel.localAddress();
        remote = (InetSocketAddress) channel.remoteAddress();
        if (tls == null) {
            connected.complete(this);
        } else {
            tls.send();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (handshake.isSuccess()) {
                connected.complete(this);
            } else {
                end("TLS: " + TlsStart.told(handshake.cause()));
            }
        } else if (event instanceof SslCloseCompletionEvent) {
            end(ending);
        }
    }

    // Calls that are being sent

    @Override
    public void call(RpcMessage message, ChunkOffer offer, long deadlineNanos, ReplyHandler handler) {
        Call call = new Call(message, deadlineNanos, handler);
        if (submittedCount.incrementAndGet() > MAX_WAITING) {
            submittedCount.decrementAndGet();
            call.fail(new RequestException(Failure.REFUSED, "too many calls wait"));
            return;
        }
        submitted.add(call);
        if (submissionScheduled.compareAndSet(false, true)) {
            try {
                channel.eventLoop().execute(this::takeSubmitted);
            } catch (RejectedExecutionException e) {
                failSubmitted();
            }
        }
    }

    /** Fails the submitted calls on this thread, because the event loop has stopped with its connector. */
    private void failSubmitted() {
        // Cleared first, as below.
        submissionScheduled.set(false);
        for (Call call = submitted.poll(); call != null; call = submitted.poll()) {
            submittedCount.decrementAndGet();
            call.fail(new RequestException(Failure.DISCONNECTED, "its connector is closed"));
        }
    }

    private void takeSubmitted() {
        // Cleared first, so that a call added from now on schedules the next round.
        submissionScheduled.set(false);
        for (Call call = submitted.poll(); call != null; call = submitted.poll()) {
            submittedCount.decrementAndGet();
            if (ended) {
                call.fail(new RequestException(Failure.DISCONNECTED, ending));
            } else if (!window.add(call.xid, call.deadlineNanos, call)) {
                call.fail(new RequestException(Failure.REFUSED, "too many calls wait"));
            }
        }
        sendWaiting();
    }

    private void sendWaiting() {
        boolean any = false;
        while (channel.isActive()) {
            Call call = window.next(refused -> refused.fail(
                    new RequestException(Failure.REFUSED, "XID " + refused.xid + " is already outstanding")));
            if (call == null) {
                break;
            }
            any = true;
            call.posted = true;
            write(call.message).addListener(done -> call.released(done.isSuccess()));
        }
        if (any) {
            channel.flush();
        }
    }

    private Future<?> write(RpcMessage message) {
        List<ByteBuffer> pieces = message.gather();
        ByteBuf header = channel.alloc().directBuffer(Integer.BYTES);
        var _ = channel.write(header.writeInt(LAST_FRAGMENT | (int) message.lengthBytes()));
        for (int i = 0; i < pieces.size() - 1; i++) {
            var _ = channel.write(Unpooled.wrappedBuffer(pieces.get(i)));
        }
        return channel.write(Unpooled.wrappedBuffer(pieces.getLast()));
    }

    @Override
    public void endOverdue(long nowNanos) {
        channel.eventLoop().execute(() -> {
            CallWindow.Overdue<Call> found = window.takeOverdue(nowNanos);
            for (Call call : found.calls()) {
                call.fail(new RequestException(Failure.TIMED_OUT, "call " + call.xid));
            }
            if (found.responderSilent()) {
                end("the responder does not answer");
            }
        });
    }

    // What arrives

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        reader.add((ByteBuf) message);
        try {
            for (ByteBuf record = reader.next(); record != null && !ended; record = reader.next()) {
                received(record);
            }
        } catch (RecordViolation violation) {
            end("the responder sent a " + violation.getMessage());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        sendWaiting();
    }

    private void received(ByteBuf record) {
        if (tls != null && !tls.begun()) {
            boolean begins = tls.begin(record, !reader.hasMore());
            record.release();
            if (begins) {
                reads.encrypted();
            } else {
                end("the responder does not begin TLS");
            }
            return;
        }
        if (record.readableBytes() < RPC_MESSAGE_MIN_BYTES) {
            end("the responder sent a record of " + record.readableBytes() + " bytes");
            record.release();
            return;
        }
        int xid = record.getInt(record.readerIndex());
        int direction = record.getInt(record.readerIndex() + DIRECTION_OFFSET_BYTES);
        if (direction == DIRECTION_REPLY) {
            replied(Integer.toUnsignedLong(xid), record);
            return;
        }
        if (direction == DIRECTION_CALL) {
            answer(xid, record);
        } else {
            end("the responder sent a message that is neither call nor reply");
        }
        record.release();
    }

    private void replied(long xid, ByteBuf record) {
        Call call = window.replied(xid);
        if (call == null) {
            LOG.atDebug()
                    .addKeyValue("xid", () -> Long.toHexString(xid))
                    .log("{}: a reply without a waiting call", remote);
            record.release();
        } else {
            call.replied(record);
        }
    }

    private void answer(int xid, ByteBuf record) {
        if (backwardCallsRunning == options.backwardCalls()) {
            end("the responder makes more calls than it may");
            return;
        }
        backwardCallsRunning++;
        ByteBuffer call = ByteBuffer.allocate(record.readableBytes());
        record.readBytes(call);
        AtomicBoolean answered = new AtomicBoolean();
        backwardCalls.call(call.flip(), reply -> {
            if (!answered.compareAndSet(false, true)) {
                throw new IllegalStateException("backward call " + xid + " answered twice");
            }
            channel.eventLoop().execute(() -> {
                backwardCallsRunning--;
                if (channel.isActive()) {
                    var _ = write(RpcMessage.of(reply));
                    channel.flush();
                }
            });
        });
    }

    // Life of the connection

    private void end(String why) {
        if (channel.isActive()) {
            LOG.debug("{}: {}", remote, why);
            ending = why;
            var _ = channel.close();
        }
    }

    @Override
    @SuppressWarnings("deprecation") // Netty deprecates the method only in the super class
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (tls != null && cause instanceof DecoderException) {
            // Nothing if the end of the handshake has told it already.
            end("TLS: " + TlsStart.told(cause));
            return;
        }
        if (!(cause instanceof IOException)) {
            LOG.error("{}: connection ended by a defect", remote, cause);
        }
        ending = String.valueOf(cause.getMessage());
        var _ = channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        ended = true;
        reader.close();
        List<Call> calls = new ArrayList<>(window.close());
        RequestException why = new RequestException(Failure.DISCONNECTED, ending);
        connected.completeExceptionally(why);
        calls.forEach(call -> call.fail(why));
    }

    @Override
    public boolean open() {
        return channel.isActive();
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public void close() {
        try {
            channel.eventLoop().execute(() -> end("the connection was closed"));
        } catch (RejectedExecutionException e) {
            LOG.trace("{}: its connector has closed it already", remote);
        }
    }
}
