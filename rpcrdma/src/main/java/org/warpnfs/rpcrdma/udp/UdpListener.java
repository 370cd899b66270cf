package org.warpnfs.rpcrdma.udp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.sockets.LoopThreads;

/**
 * Listens for datagrams on one address, or on all. To listen on all it opens a socket for each address, so that replies
 * are sent from the address that was asked.
 *
 * <h2>Operation</h2>
 *
 * It has one event loop of its own. Each datagram is a call, and no state is kept of its peer. A duplicated datagram is
 * two calls, so the programs must give the same result when a call is repeated. Calls beyond the limits of
 * {@link UdpOptions} are dropped and counted, and their clients repeat them.
 *
 * <h2>Buffers</h2>
 *
 * One datagram at a time is read, and copied to the heap at its own length. If the socket buffer is full, replies are
 * lost, as datagrams may be.
 *
 * <h2>Errors</h2>
 *
 * {@link #bind} throws if the address cannot be listened on. A datagram that is no call is dropped. Safe for any
 * thread.
 */
public final class UdpListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UdpListener.class);
    private static final int LEAST_CALL_BYTES = 2 * Integer.BYTES;
    private static final long LOOP_SHUTDOWN_MILLIS = 2000;

    private final EventLoopGroup loop;
    private final UdpOptions options;
    private final InboundHandlerFactory handlers;
    private final CallsUnderWay underWay;
    private final ReplyRates rates;
    private final LogLimiter log = new LogLimiter();
    private final UdpCounts counts = UdpCounts.ofProcess();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final Channel channel;
    private final @Nullable AddressSockets ofAddresses;

    private UdpListener(
            InetSocketAddress address,
            UdpOptions options,
            InboundHandlerFactory handlers,
            Supplier<Set<InetAddress>> hostAddresses)
            throws IOException {
        this.options = options;
        this.handlers = handlers;
        this.underWay = new CallsUnderWay(options.maxCalls(), options.maxCallsPerClient());
        this.rates = new ReplyRates(options.maxRepliesPerSecond(), System.nanoTime());
        this.loop = new MultiThreadIoEventLoopGroup(1, new LoopThreads("rpc-udp", true), NioIoHandler.newFactory());
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(NioDatagramChannel.class)
                // One byte more than the longest call, to detect a longer one.
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(options.maxCallBytes() + 1))
                .handler(new Datagrams());
        if (!address.getAddress().isAnyLocalAddress()) {
            this.channel = bound(bootstrap, address);
            this.ofAddresses = null;
            return;
        }
        InetSocketAddress free = free(address);
        Bootstrap shared = bootstrap.option(AddressSockets.SHARED_PORT, true);
        this.channel = bound(shared, free);
        this.ofAddresses = new AddressSockets(shared, free.getPort(), hostAddresses);
        ofAddresses.begin(loop);
    }

    /** Checks that the port is not in use, because sockets that share a port do not report that. */
    private InetSocketAddress free(InetSocketAddress address) throws IOException {
        try (DatagramSocket alone = new DatagramSocket(address)) {
            return new InetSocketAddress(address.getAddress(), alone.getLocalPort());
        } catch (IOException e) {
            shutDown();
            throw new IOException("cannot listen for datagrams on " + address + ": " + e.getMessage(), e);
        }
    }

    private Channel bound(Bootstrap bootstrap, InetSocketAddress address) throws IOException {
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            shutDown();
            throw new IOException(
                    "cannot listen for datagrams on " + address + ": "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        return bound.channel();
    }

    /**
     * Starts to listen.
     *
     * @throws IOException if the address is in use, or does not belong to this host
     */
    public static UdpListener bind(InetSocketAddress address, UdpOptions options, InboundHandlerFactory handlers)
            throws IOException {
        return bind(address, options, handlers, AddressSockets::ofHost);
    }

    /** @param hostAddresses returns the addresses that a wildcard address stands for now */
    static UdpListener bind(
            InetSocketAddress address,
            UdpOptions options,
            InboundHandlerFactory handlers,
            Supplier<Set<InetAddress>> hostAddresses)
            throws IOException {
        return new UdpListener(address, options, handlers, hostAddresses);
    }

    public InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** The number of datagrams that were no call or exceeded a limit. */
    public long dropped() {
        return dropped.get();
    }

    /** The number of calls that were answered. */
    public long answered() {
        return answered.get();
    }

    /** The number of calls that wait or run. */
    public int underWay() {
        return underWay.count();
    }

    /** Frees the address. Calls that still run are not answered. */
    @Override
    public void close() {
        if (ofAddresses != null) {
            ofAddresses.close();
        }
        channel.close().awaitUninterruptibly();
        shutDown();
    }

    private void shutDown() {
        loop.shutdownGracefully(0, LOOP_SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }

    @Sharable
    private final class Datagrams extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket datagram) {
            InetSocketAddress sender = datagram.sender();
            ClientAddress client = ClientAddress.of(sender);
            counts.countReceived();
            UdpCounts.Drop refusal = refusal(datagram.content().readableBytes(), client);
            if (refusal != null) {
                dropped.incrementAndGet();
                counts.countDropped(refusal);
                // One limit for all senders, because an attacker who forges source addresses could write a line with
                // each datagram.
                log.admit(refusal.name(), ClientAddress.NONE)
                        .ifPresent(more -> logDropped(refusal, sender, datagram.content(), more));
                return;
            }
            take(context, sender, client, copy(datagram.content()));
        }

        private void logDropped(UdpCounts.Drop why, InetSocketAddress sender, ByteBuf content, long more) {
            LoggingEventBuilder line = LOG.atInfo()
                    .addKeyValue("fault", "peer")
                    .addKeyValue("peer", sender)
                    .addKeyValue("cause", why);
            if (content.readableBytes() >= LEAST_CALL_BYTES) {
                line = line.addKeyValue("xid", Integer.toHexString(content.getInt(content.readerIndex())));
            }
            line.log("{}: a datagram was dropped: {} ({} more like it)", sender, said(why), more);
        }

        private UdpCounts.@Nullable Drop refusal(int bytes, ClientAddress client) {
            if (bytes > options.maxCallBytes()) {
                return UdpCounts.Drop.TOO_LONG;
            }
            if (bytes < LEAST_CALL_BYTES) {
                return UdpCounts.Drop.NO_MESSAGE;
            }
            if (!rates.admit(client, System.nanoTime())) {
                return UdpCounts.Drop.RATE;
            }
            return underWay.begin(client) ? null : UdpCounts.Drop.BUSY;
        }

        private String said(UdpCounts.Drop why) {
            return switch (why) {
                case TOO_LONG -> "longer than " + options.maxCallBytes() + " bytes";
                case NO_MESSAGE -> "no RPC message";
                case RATE -> "more than " + options.maxRepliesPerSecond() + " in a second";
                case BUSY -> "too many calls wait";
            };
        }

        private static ByteBuffer copy(ByteBuf content) {
            ByteBuffer copy = ByteBuffer.allocate(content.readableBytes());
            content.readBytes(copy);
            return copy.flip();
        }

        private void take(
                ChannelHandlerContext context, InetSocketAddress sender, ClientAddress client, ByteBuffer message) {
            int xid = message.getInt(0);
            UdpCall call = new UdpCall(message, options.maxReplyBytes(message.remaining()), reply -> {
                underWay.ended(client);
                if (reply != null) {
                    answered.incrementAndGet();
                    counts.countAnswered();
                    var _ = context.writeAndFlush(
                            new DatagramPacket(Unpooled.wrappedBuffer(reply), sender), context.voidPromise());
                }
            });
            try {
                handlers.opened(new DatagramPeer(
                                (InetSocketAddress) context.channel().localAddress(), sender))
                        .call(call);
            } catch (RuntimeException e) {
                call.abandon();
                LOG.atError()
                        .addKeyValue("peer", sender)
                        .addKeyValue("xid", Integer.toHexString(xid))
                        .log("{}: a call could not be passed up", sender, e);
            }
        }

        /** An error of an earlier datagram: ICMP reported that its destination is unreachable. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.debug("UDP: {}", cause.getMessage());
        }
    }
}
