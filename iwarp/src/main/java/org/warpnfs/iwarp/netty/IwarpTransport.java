package org.warpnfs.iwarp.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.qp.LocalRnic;
import org.warpnfs.iwarp.qp.QueuePairMachine;
import org.warpnfs.iwarp.verbs.CompletionQueue;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.iwarp.verbs.ProtectionDomain;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.SharedReceiveQueue;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FpduSize;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.sockets.AcceptPause;
import org.warpnfs.sockets.LoopThreads;
import org.warpnfs.sockets.SocketTuning;

/**
 * iWARP over TCP: listeners, connectors and their event loop threads.
 *
 * <h2>Operation</h2>
 *
 * Every connection belongs to one event loop thread, which is the owner thread of its queue pair. {@link #close()} ends
 * all connections and stops the threads.
 *
 * <h2>Buffers</h2>
 *
 * Sockets are read into pooled direct buffers of up to 256 KiB, which are released when their bytes have been placed.
 *
 * <h2>Errors</h2>
 *
 * An address that cannot be listened on is an {@link IOException}. A failed connect is reported by
 * {@link QueuePairHandler#disconnected}. A defect is logged, counted in {@link #statistics()}, and ends its own
 * connection.
 *
 * <p>Safe for any thread.
 */
public final class IwarpTransport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IwarpTransport.class);
    private static final int MIN_READ_BYTES = 2048;
    private static final int FIRST_READ_BYTES = 64 << 10;
    private static final int MAX_READ_BYTES = 256 << 10;
    private static final int BACKLOG = 512;
    private static final long STOP_TIMEOUT_SECONDS = 10;

    private final IwarpConfig config;
    private final boolean epoll;
    private final EventLoopGroup eventLoops;
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final LocalRnic rnic;
    private final Admission admission;
    private final IwarpStatistics statistics;
    private final LogLimiter lines = new LogLimiter();

    public IwarpTransport() {
        this(IwarpConfig.defaults());
    }

    public IwarpTransport(IwarpConfig config) {
        this(config, Epoll.isAvailable());
    }

    IwarpTransport(IwarpConfig config, boolean epoll) {
        this.config = config;
        this.rnic = new LocalRnic(new SecureRandom(), config.limits());
        this.admission = new Admission(config, System::nanoTime);
        this.statistics = new IwarpStatistics(rnic, admission);
        this.epoll = epoll;
        IoHandlerFactory io = epoll ? LastingEpoll.newFactory() : NioIoHandler.newFactory();
        int threads =
                config.eventLoopThreads() == 0 ? Runtime.getRuntime().availableProcessors() : config.eventLoopThreads();
        this.eventLoops = new MultiThreadIoEventLoopGroup(threads, new LoopThreads("iwarp", false), io);
    }

    /** The counters of all listeners and connectors together. */
    public IwarpStatistics statistics() {
        return statistics;
    }

    /** The event loops of the connections, for measuring their delay. Tasks that run on them must not block. */
    public List<Executor> eventLoops() {
        List<Executor> executors = new ArrayList<>();
        eventLoops.forEach(executors::add);
        return executors;
    }

    /** Creates a protection domain for queue pairs of this transport. */
    public ProtectionDomain createProtectionDomain() {
        return rnic.createProtectionDomain();
    }

    /**
     * Creates a completion queue for queue pairs of this transport.
     *
     * @param capacity the most completions that wait and outstanding requests that will complete, together
     * @param notification what {@link CompletionQueue#arm} asks for
     */
    public CompletionQueue createCompletionQueue(int capacity, Runnable notification) {
        return rnic.createCompletionQueue(capacity, notification);
    }

    /**
     * Creates a shared receive queue for queue pairs of this transport.
     *
     * @param depth the most receives that wait in the queue
     * @param maxPerQueuePair the most receives that one queue pair may have taken without giving them back
     */
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int maxPerQueuePair) {
        return rnic.createSharedReceiveQueue(depth, maxPerQueuePair);
    }

    /**
     * Listens on an address. Port 0 selects a free port.
     *
     * @throws IOException if the address is in use or not ours
     */
    public Listener listen(InetSocketAddress address, ConnectionRequestHandler handler) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(eventLoops)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel listener) {
                        SocketTuning.congestionControl(listener, config.congestionControl());
                        listener.pipeline()
                                .addLast(new AcceptPause(statistics.acceptFailureCounter()::increment, () -> {}));
                    }
                })
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, readSizes())
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accepted(channel, handler);
                    }
                });
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException("cannot listen on " + address + ": " + reason(bound.cause()), bound.cause());
        }
        channels.add(bound.channel());
        return new NettyListener(bound.channel());
    }

    /**
     * Limits each turn of a socket to one read, however much has arrived, so that the other sockets of the thread have
     * their turn.
     */
    private static RecvByteBufAllocator readSizes() {
        return new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, FIRST_READ_BYTES, MAX_READ_BYTES).maxMessagesPerRead(1);
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nothing waits for the end of a connection that was not admitted
    private void accepted(SocketChannel channel, ConnectionRequestHandler handler) {
        InetSocketAddress peer = channel.remoteAddress();
        if (peer == null) {
            // The peer has closed the connection already.
            channel.close();
            return;
        }
        ClientAddress client = ClientAddress.of(peer);
        FpduSize fpdus = config.fpduSize(peer);
        QueuePairChannel link = new QueuePairChannel(channel, peer, fpdus, statistics, null);
        Admission.Place place =
                admission.admit(client, () -> channel.eventLoop().execute(() -> evicted(link, client)));
        if (place == null) {
            lines.admit("too many connections", client).ifPresent(more -> LOG.atWarn()
                    .addKeyValue("fault", "machine")
                    .addKeyValue("peer", channel.remoteAddress())
                    .addKeyValue("cause", "too many connections")
                    .log("{} is not admitted: too many connections ({} more like it)", channel.remoteAddress(), more));
            channel.close();
            return;
        }
        channel.closeFuture().addListener(closed -> place.leave());
        link.admitted(place);
        SocketTuning.apply(channel, config.congestionControl());
        link.attach(QueuePairMachine.responder(link, config.queuePair(fpdus), rnic, handler));
        channels.add(channel);
        channel.pipeline().addLast(link);
    }

    private void evicted(QueuePairChannel link, ClientAddress client) {
        lines.admit("evicted", client).ifPresent(more -> LOG.atInfo()
                .addKeyValue("fault", "machine")
                .addKeyValue("peer", link.remoteAddress())
                .addKeyValue("cause", "evicted")
                .log("{} is disconnected: idle while others want in ({} more like it)", link.remoteAddress(), more));
        link.abort("idle while others wanted to connect");
    }

    /** Opens connections. */
    public Connector connector() {
        return this::connect;
    }

    private void connect(InetSocketAddress remote, ConnectOptions options, QueuePairHandler handler) {
        if (eventLoops.isShuttingDown()) {
            throw new IllegalStateException("the transport is closed");
        }
        rnic.check(options);
        open(
                eventLoops,
                remote,
                link -> QueuePairMachine.initiator(
                        link, config.queuePair(config.fpduSize(remote)), rnic, options, handler),
                why -> LOG.debug("{}", why));
    }

    /** Opens another connection for a machine. Events of its previous connection no longer reach it. */
    private void reopen(EventLoop owner, InetSocketAddress remote, QueuePairMachine machine) {
        open(
                owner,
                remote,
                link -> {
                    machine.relink(link);
                    return machine;
                },
                machine::linkLost);
    }

    /**
     * @param attached returns the machine for a new channel
     * @param unattached is called with the reason if no channel is created
     */
    private void open(
            EventLoopGroup owners,
            InetSocketAddress remote,
            Function<QueuePairChannel, QueuePairMachine> attached,
            Consumer<String> unattached) {
        // Kept here, because the pipeline may be empty again by the time the failure to connect is reported.
        AtomicReference<@Nullable QueuePairChannel> made = new AtomicReference<>();
        new Bootstrap()
                .group(owners)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, readSizes())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, config.connectTimeoutMillis())
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        SocketTuning.apply(channel, config.congestionControl());
                        QueuePairChannel link = new QueuePairChannel(
                                channel,
                                remote,
                                config.fpduSize(remote),
                                statistics,
                                machine -> reopen(channel.eventLoop(), remote, machine));
                        made.set(link);
                        link.attach(attached.apply(link));
                        channels.add(channel);
                        channel.pipeline().addLast(link);
                    }
                })
                .connect(
                        remote,
                        config.initiatorAddress() == null ? null : new InetSocketAddress(config.initiatorAddress(), 0))
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        QueuePairChannel link = made.get();
                        String why = "cannot connect to " + remote + ": " + reason(connected.cause());
                        if (link != null) {
                            link.lost(why);
                        } else {
                            unattached.accept(why);
                        }
                    }
                });
    }

    /**
     * Ends all connections and stops listening. Waits until every connection's handler has been told and the threads
     * have stopped, for at most 20 s. If called on one of these threads, it returns at once and does all this
     * afterwards, because the thread cannot stop before.
     */
    @Override
    public void close() {
        if (inOwnThread()) {
            Thread.ofPlatform().name("iwarp-close").start(this::close);
            return;
        }
        for (Channel channel : channels) {
            QueuePairChannel link = channel.pipeline().get(QueuePairChannel.class);
            if (link != null) {
                channel.eventLoop().execute(() -> link.abort("the transport was closed"));
            }
        }
        channels.close().awaitUninterruptibly(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        eventLoops
                .shutdownGracefully(0, STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private boolean inOwnThread() {
        for (EventExecutor thread : eventLoops) {
            if (thread.inEventLoop()) {
                return true;
            }
        }
        return false;
    }

    record NettyListener(Channel channel, InetSocketAddress localAddress) implements Listener {
        NettyListener(Channel channel) {
            this(channel, (InetSocketAddress) channel.localAddress());
        }

        @Override
        public void close() {
            ChannelFuture closed = channel.close();
            if (!channel.eventLoop().inEventLoop()) {
                closed.awaitUninterruptibly();
            }
        }
    }
}
