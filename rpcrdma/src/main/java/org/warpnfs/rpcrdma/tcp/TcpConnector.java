package org.warpnfs.rpcrdma.tcp;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;

/**
 * Opens TCP connections to make calls on.
 *
 * <h2>Operation</h2>
 *
 * Has event loops of its own, on epoll where there is one; each connection lives on one of them.
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
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

    private final EventLoopGroup loops;

    /** @param eventLoopThreads that share the connections, at least 1 */
    public TcpConnector(int eventLoopThreads) {
        loops = TcpSockets.loops("rpc-tcp", eventLoopThreads);
    }

    /** Connects. */
    public CompletableFuture<Requester> connect(
            InetSocketAddress remote, TcpRequesterOptions options, BackwardCalls backwardCalls) {
        CompletableFuture<Requester> connected = new CompletableFuture<>();
        if (loops.isShuttingDown()) {
            throw new IllegalStateException("the connector is closed");
        }
        ChannelFuture connecting = new Bootstrap()
                .group(loops)
                .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        TcpSockets.tune(channel);
                        channel.pipeline().addLast(new TcpRequester(channel, options, backwardCalls, connected));
                    }
                })
                .connect(remote);
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                connected.completeExceptionally(new RequestException(
                        RequestException.Failure.DISCONNECTED,
                        "cannot connect to " + remote + ": " + done.cause().getMessage()));
            }
        });
        return connected;
    }

    /** Ends all connections and their threads. */
    @Override
    public void close() {
        TcpSockets.shutDown(loops);
    }
}
