package org.warpnfs.server.admin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.server.config.ConfigException;

/**
 * Answers administrators at a Unix socket with HTTP/1.1.
 *
 * <h2>Operation</h2>
 *
 * One event loop serves at most {@value #MAX_CONNECTIONS} connections, each with one request. A request runs on its own
 * platform thread, because the file systems that a reload opens test identities, which belong to threads. So a slow
 * administrator occupies only a connection.
 *
 * <h2>Errors</h2>
 *
 * A connection of a peer that is neither the server's user nor root, or beyond the limit of connections, is closed at
 * once. A request with more than {@value #MAX_BODY_BYTES} bytes of body, or {@value #MAX_HEADER_BYTES} bytes of
 * headers, is answered with an error.
 */
public final class AdminServer implements AutoCloseable {
    /** The most connections; enough for commands and some users of {@code top}. */
    public static final int MAX_CONNECTIONS = 16;

    static final int MAX_LINE_BYTES = 4 << 10;
    static final int MAX_HEADER_BYTES = 8 << 10;
    static final int MAX_BODY_BYTES = 64 << 10;
    private static final int CHUNK_BYTES = 8 << 10;
    private static final int THREAD_IDLE_SECONDS = 10;
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

    private final SocketFile file;
    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("admin", true), NioIoHandler.newFactory());
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            MAX_CONNECTIONS,
            THREAD_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().name("admin-", 1).daemon().factory());
    private final AtomicInteger connections = new AtomicInteger();
    private final LogLimiter strangers = new LogLimiter();
    private final Channel listening;

    private AdminServer(SocketFile file, AdminRoutes routes) throws ConfigException {
        this.file = file;
        PeerCheck check = new PeerCheck();
        ChannelFuture bound = new ServerBootstrap()
                .group(loop)
                .channel(NioServerDomainSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        admit(channel, check, routes);
                    }
                })
                .bind(UnixDomainSocketAddress.of(file.fresh()))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            stop();
            throw file.refused("cannot be bound: " + bound.cause().getMessage(), bound.cause());
        }
        listening = bound.channel();
    }

    /**
     * Opens the socket.
     *
     * @param socket its path; a socket that no server uses any more is replaced
     * @throws ConfigException if it cannot be opened; one line gives the reason
     */
    public static AdminServer start(Path socket, Administered administered) throws ConfigException {
        return start(socket, AdminApi.routes(administered));
    }

    /**
     * Opens the socket in a private directory, which the server creates in a directory that others may write to.
     * Kubernetes' {@code fsGroup} makes such volumes.
     *
     * @throws ConfigException if it cannot be opened; one line gives the reason
     */
    public static AdminServer startApart(Path socket, Administered administered) throws ConfigException {
        Path directory = socket.toAbsolutePath().getParent();
        if (directory != null) {
            PrivateDirectory.make(directory);
        }
        return start(socket, administered);
    }

    /** Returns whether only the server's user and root can put another socket there. */
    public static boolean isPrivate(Path directory) {
        try {
            return PrivateDirectory.flaw(directory) == null;
        } catch (IOException e) {
            return false;
        }
    }

    static AdminServer start(Path socket, AdminRoutes routes) throws ConfigException {
        SocketFile file = new SocketFile(socket);
        file.prepare();
        AdminServer server = new AdminServer(file, routes);
        try {
            file.publish();
            return server;
        } catch (ConfigException e) {
            server.close();
            throw e;
        }
    }

    private void admit(Channel channel, PeerCheck check, AdminRoutes routes) {
        if (!check.mayEnter(channel)) {
            strangers
                    .admit("stranger", ClientAddress.NONE)
                    .ifPresent(more -> LOG.warn(
                            "a process of another user was refused at the admin socket ({} more like it)", more));
            var _ = channel.close();
            return;
        }
        if (connections.incrementAndGet() > MAX_CONNECTIONS) {
            connections.decrementAndGet();
            var _ = channel.close();
            return;
        }
        channel.closeFuture().addListener(_ -> connections.decrementAndGet());
        channel.pipeline()
                .addLast(new HttpServerCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, CHUNK_BYTES))
                .addLast(new HttpObjectAggregator(MAX_BODY_BYTES, true))
                .addLast(new AdminHandler(routes, threads));
    }

    /** Returns the path of the socket. */
    public Path path() {
        return file.path();
    }

    /** Closes all connections at once and removes the socket. */
    @Override
    public void close() {
        try {
            file.remove();
        } catch (IOException e) {
            LOG.warn("{} could not be removed: {}", file.path(), e.getMessage());
        }
        listening.close().awaitUninterruptibly();
        stop();
    }

    private void stop() {
        threads.shutdown();
        var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
