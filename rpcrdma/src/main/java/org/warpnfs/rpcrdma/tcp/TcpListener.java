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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.sockets.AcceptPause;

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
    private static final long WATCH_SECONDS = 1;

    /** Clients of a server that comes back all connect at once. */
    private static final int BACKLOG = 1024;

    private final EventLoopGroup loops;
    private final Channel listening;
    private final ConnectionTable connections;

    private TcpListener(EventLoopGroup loops, Channel listening, ConnectionTable connections) {
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
        ListenerContext context = new ListenerContext(options, statistics);
        ConnectionTable connections = new ConnectionTable(context);
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(type)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .handler(new AcceptPause(() -> statistics.increment(Counter.ACCEPTS_FAILED), connections::evictIdle))
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
        var _ = loops.scheduleAtFixedRate(
                () -> listener.closeOverdue(System.nanoTime()), WATCH_SECONDS, WATCH_SECONDS, TimeUnit.SECONDS);
        return listener;
    }

    /**
     * Closes connections whose peers make no progress.
     *
     * @param nowNanos of a clock that only goes forward
     */
    void closeOverdue(long nowNanos) {
        connections.connections().forEach(connection -> connection.look(nowNanos));
        connections.forgetIdle();
    }

    /** On the event loop that the connection is going to have. */
    private static void accept(
            Channel channel, ListenerContext context, ConnectionTable connections, InboundHandlerFactory handlers) {
        if (!(channel.localAddress() instanceof InetSocketAddress local)
                || !(channel.remoteAddress() instanceof InetSocketAddress remote)) {
            // The peer was gone before we looked.
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

    public InetSocketAddress localAddress() {
        return (InetSocketAddress) listening.localAddress();
    }

    /** Connections that are open. */
    public int connectionCount() {
        return connections.size();
    }

    /** The loops that connections live on. */
    public List<Executor> eventLoops() {
        List<Executor> executors = new ArrayList<>();
        loops.forEach(executors::add);
        return executors;
    }

    /** Stops listening, takes no new calls, and lets each connection end when its last call has been answered. */
    public void drain() {
        listening.close().awaitUninterruptibly();
        connections.drain();
    }

    /** Closes everything at once. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        connections.connections().forEach(TcpConnection::closeNow);
        TcpSockets.shutDown(loops);
    }

    /** Clients whose connections or calls are counted. */
    int clientCount() {
        return connections.clientCount();
    }

    /** Where accepting fails, for a test. */
    Channel listening() {
        return listening;
    }
}
