package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Protection;
import org.warpnfs.limits.SecuredPeer;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;

/**
 * One TCP connection.
 *
 * <h2>Operation</h2>
 *
 * {@link CallStarter} starts the calls in the records until a limit is reached. Then the connection is not read from
 * until there is room. {@link ReplyWriter} sends the replies. A call is in flight until the socket has taken its reply,
 * so a peer that does not read its replies is not read from either. {@link ConnectionWatch} ends the connection when
 * its peer makes no progress.
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * A record closes the connection if it is too long, too short for an RPC message, or neither a call nor a reply.
 *
 * <p>For the channel's event loop only, except {@link #abort}, {@link #drain}, {@link #look}, {@link #occupation} and
 * {@link #sendBackwardCall}.
 */
final class TcpConnection extends ChannelInboundHandlerAdapter implements RpcConnection {
    private static final Logger LOG = LoggerFactory.getLogger(TcpConnection.class);
    private static final String HAS_ENDED = "the connection has ended";

    /** The addresses of both ends, and the client's account. */
    record Peer(InetSocketAddress local, InetSocketAddress remote, ClientAccount account) {}

    private final Channel channel;
    private final Peer peer;
    private final ListenerContext context;
    private final InboundHandler handler;
    private final BackwardReplies backwardReplies;
    private final ReplyWriter writer;
    private final CallStarter starter;
    private final ConnectionWatch watch;
    private final RecordReads reads;
    private @Nullable TlsStart tls;
    private volatile Occupation.Since occupation = new Occupation.Since(Occupation.IDLE, System.nanoTime());
    private volatile SecuredPeer.Security security = SecuredPeer.Security.CLEAR;
    private boolean draining;

    /** True once it was ended because of its peer. */
    private boolean refused;

    /** @param peer known in advance, because the channel forgets its addresses when it closes */
    TcpConnection(Channel channel, Peer peer, ListenerContext context, InboundHandlerFactory handlers) {
        TcpOptions options = context.options();
        this.channel = channel;
        this.peer = peer;
        this.context = context;
        ClientAddress client = peer.account.address();
        this.watch = new ConnectionWatch(
                options, context.givers().of(client), context.takers().of(client));
        this.backwardReplies = new BackwardReplies(options.maxBackwardCalls(), options.maxUnexpectedReplies());
        this.handler = handlers.opened(this);
        this.starter = new CallStarter(channel, this, context, handler, backwardReplies);
        this.writer = new ReplyWriter(channel, peer.account, context.statistics(), options.maxStartsPerTurn(), starter);
        this.reads = new RecordReads(starter.reader());
        channel.config().setRecvByteBufAllocator(reads);
        context.statistics().increment(Counter.CONNECTIONS_OPEN);
    }

    ClientAccount account() {
        return peer.account;
    }

    ReplyWriter writer() {
        return writer;
    }

    boolean draining() {
        return draining;
    }

    // What arrives

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        starter.received((ByteBuf) message);
    }

    /**
     * Answers the AUTH_TLS probe, and lets everything else go through TLS.
     *
     * @param clearBytes whether more has come in clear behind the probe, which must not be read as if it had come
     *     inside TLS
     * @return false if there is no TLS here, and the probe is a call like any other
     */
    boolean startTls(int xid, boolean clearBytes) {
        TlsContext context = this.context.tls();
        if (context == null || tls != null) {
            return false;
        }
        if (clearBytes) {
            this.context.statistics().increment(Counter.TLS_VIOLATIONS);
            endFor("tls", "bytes in clear behind the AUTH_TLS probe");
            return true;
        }
        reads.encrypted();
        writer.encrypt();
        TlsInputGuard guard = new TlsInputGuard(starter::receivedBytes, () -> {
            this.context.statistics().increment(Counter.TLS_VIOLATIONS);
            endFor("tls", "its peer sends records without data, or takes no answers to them");
        });
        tls = TlsStart.begin(channel, context, peer.account.address(), xid, guard);
        return true;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        TlsStart start = tls;
        if (start == null) {
            return;
        }
        if (event instanceof SslHandshakeCompletionEvent completion) {
            handshakeEnded(start, completion.cause());
        } else if (event instanceof SslCloseCompletionEvent) {
            // The peer sends no more, as with a FIN.
            var _ = channel.close();
        }
    }

    private void handshakeEnded(TlsStart start, @Nullable Throwable failure) {
        Throwable cause = failure == null ? start.ended() : failure;
        if (cause == null) {
            context.statistics().increment(Counter.TLS_CONNECTIONS_OPEN);
            context.statistics()
                    .increment(
                            start.security().protection() == Protection.MUTUAL_TLS
                                    ? Counter.TLS_HANDSHAKES_MUTUAL
                                    : Counter.TLS_HANDSHAKES);
            security = start.security();
        } else {
            context.statistics().increment(Counter.TLS_HANDSHAKES_FAILED);
            endFor("tls handshake", TlsStart.told(cause));
        }
    }

    @Override
    public SecuredPeer.Security security() {
        return security;
    }

    /** Closes the connection because its peer broke a rule. */
    void refuse(String cause, @Nullable String detail) {
        context.statistics().increment(Counter.RECORDS_REFUSED);
        endFor(cause, detail);
    }

    private void endFor(String cause, @Nullable String detail) {
        refused = true;
        context.log().admit(cause, peer.account.address()).ifPresent(more -> LOG.atInfo()
                .addKeyValue("fault", "peer")
                .addKeyValue("peer", channel.remoteAddress())
                .addKeyValue("cause", cause)
                .log("{}: {} ({} more like it)", this, detail, more));
        context.statistics().increment(Counter.CONNECTIONS_ABORTED);
        TlsStart.cut(channel);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        watch.close();
        starter.close();
        context.statistics().add(Counter.CONNECTIONS_OPEN, -1);
        if (security.protection() != Protection.NONE) {
            context.statistics().add(Counter.TLS_CONNECTIONS_OPEN, -1);
        }
        handler.closed();
    }

    @Override
    @SuppressWarnings("deprecation") // Netty deprecates the method only in the super class
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            LOG.debug("{}: {}", this, cause.getMessage());
        } else if (tls != null && cause instanceof DecoderException) {
            // During the handshake, the end of the handshake tells the same. OpenSSL has closed the channel already.
            if (security.protection() != Protection.NONE && !refused) {
                context.statistics().increment(Counter.TLS_VIOLATIONS);
                endFor("tls", TlsStart.told(cause));
            }
        } else {
            defect(cause);
        }
        TlsStart.cut(channel);
    }

    /** Ends the connection because of a defect of ours. */
    void defect(Throwable cause) {
        defect(LOG.atError(), cause);
    }

    /** Ends the connection because of a defect of ours in one call. */
    void defect(long xid, Throwable cause) {
        defect(LOG.atError().addKeyValue("xid", Long.toHexString(xid)), cause);
    }

    private void defect(LoggingEventBuilder line, Throwable cause) {
        context.statistics().increment(Counter.DEFECTS);
        line.addKeyValue("peer", peer.remote).log("{}: a defect ends the connection", this, cause);
        TlsStart.cut(channel);
    }

    // What is sent

    @Override
    public String transportName() {
        return "tcp";
    }

    @Override
    public boolean gathersItems() {
        return true;
    }

    @Override
    public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
        try {
            channel.eventLoop().execute(() -> {
                String refusal = backwardRefusal(call);
                if (refusal == null) {
                    context.statistics().increment(Counter.BACKWARD_CALLS_SENT);
                    backwardReplies.called((int) call.xid());
                    writer.writeBackward(call, () -> sent.accept(channel.isActive() ? null : HAS_ENDED));
                    channel.flush();
                } else {
                    call.release();
                    sent.accept(refusal);
                }
            });
        } catch (RejectedExecutionException e) {
            call.release();
            sent.accept(HAS_ENDED);
        }
    }

    private @Nullable String backwardRefusal(RpcMessage call) {
        if (!channel.isActive()) {
            return HAS_ENDED;
        }
        if (call.xdr().remaining() < Integer.BYTES) {
            return "a call without an XID";
        }
        if (writer.unsentBytes() + call.lengthBytes() > context.options().maxUnsentBytes()) {
            context.statistics().increment(Counter.BACKWARD_CALLS_REFUSED);
            return "the peer has not taken earlier messages";
        }
        return null;
    }

    // Life of the connection

    /** Records what the connection does now. */
    void settle() {
        Occupation now = starter.occupation();
        if (now != occupation.occupation()) {
            occupation = new Occupation.Since(now, System.nanoTime());
        }
    }

    /** What the connection did at the end of its last turn. May be called from any thread. */
    Occupation.Since occupation() {
        return occupation;
    }

    /** Takes no new calls, and closes once the last one has been answered. May be called from any thread. */
    void drain() {
        onLoop(() -> {
            draining = true;
            channel.config().setAutoRead(false);
            closeIfDrained();
        });
    }

    /**
     * Closes the connection if its peer misses a deadline: see {@link ConnectionWatch}. May be called from any thread.
     *
     * @param nowNanos a clock that never goes back
     */
    void look(long nowNanos) {
        onLoop(() -> {
            if (!channel.isActive()) {
                return;
            }
            RecordReader reader = starter.reader();
            ConnectionWatch.Look look = new ConnectionWatch.Look(
                    starter.called(),
                    channel.config().isAutoRead(),
                    reader.leftBytes(),
                    reader.recordsBegun(),
                    starter.receivedBytes(),
                    writer.unsentBytes(),
                    writer.emptied(),
                    writer.takenBytes(),
                    draining && starter.running() == 0);
            Counter overdue = watch.overdue(look, nowNanos);
            if (overdue != null) {
                context.statistics().increment(overdue);
                if (writer.unsentBytes() > 0) {
                    // Data in the socket buffer is discarded too, because the peer does not take it.
                    channel.config().setOption(ChannelOption.SO_LINGER, 0);
                }
                endFor(overdue.metricName(), "its peer makes no progress: " + overdue.metricName());
            }
        });
    }

    private void onLoop(Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.trace("{}: its listener has closed it already", this);
        }
    }

    void closeIfDrained() {
        if (draining && starter.inFlight() == 0) {
            var _ = channel.close();
        }
    }

    @Override
    public void abort(String reason) {
        LOG.debug("{}: {}", this, reason);
        TlsStart.cut(channel);
    }

    /** Closes the connection and waits for that. Must not be called on an event loop. */
    void closeNow() {
        TlsStart.cut(channel);
        channel.closeFuture().awaitUninterruptibly();
    }

    @Override
    public boolean open() {
        return channel.isActive();
    }

    @Override
    public InetSocketAddress localAddress() {
        return peer.local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return peer.remote;
    }

    @Override
    public String toString() {
        return "tcp " + peer.remote;
    }
}
