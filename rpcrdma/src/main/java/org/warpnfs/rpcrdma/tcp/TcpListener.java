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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * Listens on one address and keeps its connections.
 *
 * <h2>Operation</h2>
 *
 * Has event loops of its own, on epoll where there is one.
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * {@link #bind} throws if the address cannot be had. Safe for any thread.
 */
public final class TcpListener implements AutoCloseable {
    private static final long WATCH_SECONDS = 5;
    private static final int BACKLOG = 128;

    private final EventLoopGroup loops;
    private final Channel listening;
    private final Map<Channel, TcpConnection> connections;

    private TcpListener(EventLoopGroup loops, Channel listening, Map<Channel, TcpConnection> connections) {
        this.loops = loops;
        this.listening = listening;
        this.connections = connections;
    }

    /**
     * Starts to listen.
     *
     * @throws IOException if the address is taken, or is none of this host's
     */
    public static TcpListener bind(
            InetSocketAddress address,
            TcpOptions options,
            TransportStatistics statistics,
            InboundHandlerFactory handlers)
            throws IOException {
        EventLoopGroup loops = TcpSockets.loops("rpc-tcp", options.eventLoopThreads());
        Class<? extends ServerChannel> type =
                Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        Map<Channel, TcpConnection> connections = new ConcurrentHashMap<>();
        RunningBytes runningBytes = new RunningBytes(options.maxRunningBytes());
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(type)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        TcpSockets.tune(channel);
                        accept(channel, options, runningBytes, statistics, handlers, connections);
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
        var _ = loops.scheduleAtFixedRate(
                () -> listener.closeStalled(System.nanoTime()), WATCH_SECONDS, WATCH_SECONDS, TimeUnit.SECONDS);
        return listener;
    }

    /**
     * Closes connections whose peers make no progress.
     *
     * @param nowNanos of a clock that only goes forward
     */
    void closeStalled(long nowNanos) {
        connections.values().forEach(connection -> connection.closeIfStalled(nowNanos));
    }

    private static void accept(
            Channel channel,
            TcpOptions options,
            RunningBytes runningBytes,
            TransportStatistics statistics,
            InboundHandlerFactory handlers,
            Map<Channel, TcpConnection> connections) {
        if (!(channel.localAddress() instanceof InetSocketAddress local)
                || !(channel.remoteAddress() instanceof InetSocketAddress remote)) {
            // The peer was gone before we looked.
            var _ = channel.close();
            return;
        }
        TcpConnection connection;
        // One at a time, so that the limit is one whatever event loop accepts.
        synchronized (connections) {
            if (connections.size() >= options.maxConnections()) {
                statistics.increment(Counter.CONNECTIONS_REFUSED);
                var _ = channel.close();
                return;
            }
            connection = new TcpConnection(
                    channel, new TcpConnection.Addresses(local, remote), options, runningBytes, statistics, handlers);
            connections.put(channel, connection);
        }
        statistics.increment(Counter.CONNECTIONS_ACCEPTED);
        channel.closeFuture().addListener(closed -> connections.remove(channel));
        channel.pipeline().addLast(connection);
    }

    public InetSocketAddress localAddress() {
        return (InetSocketAddress) listening.localAddress();
    }

    /** Connections that are open. */
    public int connectionCount() {
        return connections.size();
    }

    /** Stops listening, takes no new calls, and lets each connection end when its last call has been answered. */
    public void drain() {
        listening.close().awaitUninterruptibly();
        connections.values().forEach(TcpConnection::drain);
    }

    /** Closes everything at once. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        for (Channel channel : connections.keySet()) {
            channel.close().awaitUninterruptibly();
        }
        TcpSockets.shutDown(loops);
    }
}
