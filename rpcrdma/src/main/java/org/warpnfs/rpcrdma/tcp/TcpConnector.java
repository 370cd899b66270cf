package org.warpnfs.rpcrdma.tcp;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;

/**
 * Opens TCP connections to make calls on.
 *
 * <h2>Operation</h2>
 *
 * It has event loops of its own, with epoll where available. Each connection belongs to one of them.
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * A connection that cannot be made fails its future with a {@link RequestException}. Safe for any thread.
 */
public final class TcpConnector implements AutoCloseable {
    /** The time after which connecting fails, unless another is chosen. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final EventLoopGroup loops;
    /** Closed with the connector. A channel that is added after that is closed too. */
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    private final int connectTimeoutMillis;
    private final @Nullable InetAddress local;

    /** @param eventLoopThreads the number of threads that share the connections, at least 1 */
    public TcpConnector(int eventLoopThreads) {
        this(eventLoopThreads, CONNECT_TIMEOUT, null);
    }

    /**
     * @param eventLoopThreads the number of threads that share the connections, at least 1
     * @param connectTimeout the time after which connecting fails
     * @param local the local address of connections; null to let routing choose
     */
    public TcpConnector(int eventLoopThreads, Duration connectTimeout, @Nullable InetAddress local) {
        this.loops = TcpSockets.loops("rpc-tcp", eventLoopThreads);
        this.connectTimeoutMillis = Math.toIntExact(connectTimeout.toMillis());
        this.local = local;
    }

    /** Connects. */
    public CompletableFuture<Requester> connect(
            InetSocketAddress remote, TcpRequesterOptions options, BackwardCalls backwardCalls) {
        CompletableFuture<Requester> connected = new CompletableFuture<>();
        if (isClosing()) {
            throw new IllegalStateException("the connector is closed");
        }
        ChannelFuture connecting = new Bootstrap()
                .group(loops)
                .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectTimeoutMillis)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        TcpSockets.tune(channel);
                        channels.add(channel);
                        channel.pipeline().addLast(new TcpRequester(channel, options, backwardCalls, connected));
                    }
                })
                .connect(remote, local == null ? null : new InetSocketAddress(local, 0));
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                connected.completeExceptionally(new RequestException(
                        RequestException.Failure.DISCONNECTED,
                        "cannot connect to " + remote + ": " + done.cause().getMessage()));
            }
        });
        return connected;
    }

    /**
     * Runs {@code task} on one of the event loops after a delay. The task must not block.
     *
     * @throws java.util.concurrent.RejectedExecutionException once the connector is closed
     */
    public Future<?> after(long delayNanos, Runnable task) {
        return loops.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    /** True once the threads have been told to stop. */
    boolean isClosing() {
        return loops.isShuttingDown();
    }

    /**
     * Ends all connections and their threads.
     *
     * <p>Connections are closed first. An event loop that is told to stop while it runs its tasks may stop without
     * closing its channels. Then outstanding calls would never be reported as failed.
     */
    @Override
    public void close() {
        var _ = channels.close();
        TcpSockets.shutDown(loops);
    }
}
