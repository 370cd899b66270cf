package org.warpnfs.rpcrdma.tcp;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Each;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.schedule.Repeated;
import org.warpnfs.sockets.AcceptPause;

/**
 * Listens on one address and holds its connections.
 *
 * <h2>Operation</h2>
 *
 * It has event loops of its own, with epoll where available.
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * {@link #bind} throws if the address cannot be listened on. Safe for any thread.
 */
public final class TcpListener implements AutoCloseable {
    private static final Duration WATCH_PERIOD = Duration.ofSeconds(1);

    /** Large, because all clients reconnect at once when a server comes back. */
    private static final int BACKLOG = 1024;

    private final EventLoopGroup loops;
    private final @Nullable Channel listening;
    private final ConnectionTable connections;

    private TcpListener(EventLoopGroup loops, @Nullable Channel listening, ConnectionTable connections) {
        this.loops = loops;
        this.listening = listening;
        this.connections = connections;
    }

    /**
     * Starts to listen.
     *
     * @throws IOException if the address is in use, or does not belong to this host
     */
    public static TcpListener bind(
            InetSocketAddress address,
            TcpOptions options,
            TransportStatistics statistics,
            InboundHandlerFactory handlers)
            throws IOException {
        return bind(address, options, null, statistics, handlers);
    }

    /**
     * Starts to listen for clients that may use TLS.
     *
     * @param address null to listen nowhere, so that there are no connections
     * @param tls null if no client can; it must outlive the listener
     * @throws IOException if the address is in use, or does not belong to this host
     */
    public static TcpListener bind(
            @Nullable InetSocketAddress address,
            TcpOptions options,
            @Nullable TlsContext tls,
            TransportStatistics statistics,
            InboundHandlerFactory handlers)
            throws IOException {
        EventLoopGroup loops = TcpSockets.loops("rpc-tcp", options.eventLoopThreads());
        Class<? extends ServerChannel> type =
                Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        ListenerContext context = new ListenerContext(options, statistics, tls);
        ConnectionTable connections = new ConnectionTable(context);
        if (address == null) {
            return new TcpListener(loops, null, connections);
        }
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(type)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel listening) {
                        TcpSockets.tuneListener(listening);
                        listening
                                .pipeline()
                                .addLast(new AcceptPause(
                                        () -> statistics.increment(Counter.ACCEPTS_FAILED), connections::evictIdle));
                    }
                })
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel, context, connections, handlers);
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            TcpSockets.shutDown(loops);
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(), bound.cause());
        }
        TcpListener listener = new TcpListener(loops, bound.channel(), connections);
        // Ends with the loops.
        var _ = Repeated.inPeriods(loops, WATCH_PERIOD, () -> listener.closeOverdue(System.nanoTime()));
        return listener;
    }

    /**
     * Closes connections whose peers make no progress.
     *
     * @param nowNanos a clock that never goes back
     */
    void closeOverdue(long nowNanos) {
        Each.inOrder(
                () -> Each.of(List.copyOf(connections.connections()), connection -> connection.look(nowNanos)),
                connections::forgetIdle);
    }

    /** Sets up an accepted connection. Runs on the event loop that the connection will have. */
    private static void accept(
            Channel channel, ListenerContext context, ConnectionTable connections, InboundHandlerFactory handlers) {
        if (!(channel.localAddress() instanceof InetSocketAddress local)
                || !(channel.remoteAddress() instanceof InetSocketAddress remote)) {
            // The peer has closed the connection already.
            var _ = channel.close();
            return;
        }
        ClientAccount account = connections.admit(ClientAddress.of(remote));
        if (account == null) {
            var _ = channel.close();
            return;
        }
        TcpConnection connection;
        try {
            TcpSockets.tune(channel);
            connection = new TcpConnection(channel, new TcpConnection.Peer(local, remote, account), context, handlers);
        } catch (Throwable e) {
            connections.gaveUp(account);
            throw e;
        }
        connections.joined(connection);
        context.statistics().increment(Counter.CONNECTIONS_ACCEPTED);
        channel.closeFuture().addListener(closed -> connections.left(connection));
        channel.pipeline().addLast(connection);
    }

    /** Where it listens, with the actual port. Only if it does. */
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) Objects.requireNonNull(listening).localAddress();
    }

    /** The number of open connections. */
    public int connectionCount() {
        return connections.size();
    }

    /** The event loops of the connections. */
    public List<Executor> eventLoops() {
        List<Executor> executors = new ArrayList<>();
        loops.forEach(executors::add);
        return executors;
    }

    /** Stops listening, takes no new calls, and lets each connection end when its last call has been answered. */
    public void drain() {
        stopListening();
        connections.drain();
    }

    /** Closes everything at once. */
    @Override
    public void close() {
        stopListening();
        connections.connections().forEach(TcpConnection::closeNow);
        TcpSockets.shutDown(loops);
    }

    private void stopListening() {
        if (listening != null) {
            listening.close().awaitUninterruptibly();
        }
    }

    /** The number of clients whose connections or calls are counted. */
    int clientCount() {
        return connections.clientCount();
    }

    /** The listening channel, for a test that makes accepting fail. */
    Channel listening() {
        return Objects.requireNonNull(listening);
    }
}
