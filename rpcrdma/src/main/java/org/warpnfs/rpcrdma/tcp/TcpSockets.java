package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads and socket options for both ends of a TCP connection: epoll where there is one, NIO elsewhere. */
final class TcpSockets {
    private static final Logger LOG = LoggerFactory.getLogger(TcpSockets.class);
    private static final long LOOP_SHUTDOWN_MILLIS = 2000;
    private static final int KEEPALIVE_IDLE_SECONDS = 60;
    private static final int KEEPALIVE_INTERVAL_SECONDS = 10;
    private static final int KEEPALIVE_PROBES = 6;

    /** As long as the probes take: less would end a connection for one lost probe. */
    private static final int USER_TIMEOUT_MILLIS =
            1000 * (KEEPALIVE_IDLE_SECONDS + KEEPALIVE_INTERVAL_SECONDS * KEEPALIVE_PROBES);

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;

    /** Paced congestion control such as bbr halves what a loopback or data centre link gives. */
    private static final byte[] CUBIC = "cubic".getBytes(StandardCharsets.US_ASCII);

    /**
     * Netty's default one gives a region of 128 KiB to 8 MiB back only when the last buffer of it is released, once there are some hundred
     * regions. Here peers decide how long each record is held, so that a few of them could keep thirty times their length.
     */
    private static final ByteBufAllocator MEMORY = PooledByteBufAllocator.DEFAULT;

    private TcpSockets() {}

    static EventLoopGroup loops(String name, int threads) {
        return new MultiThreadIoEventLoopGroup(
                threads,
                new DefaultThreadFactory(name, true),
                Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    /**
     * Sets where buffers come from, and what the platform takes of all else; before anything is read. TCP looks after a peer that has been silent for a minute, and ends the connection after another
     * minute without an answer, or after two minutes in which it took nothing: one whose host has vanished would hold its place for ever.
     */
    static void tune(Channel channel) {
        channel.config().setAllocator(MEMORY);
        set(channel, ChannelOption.SO_KEEPALIVE, true);
        if (!(channel instanceof EpollSocketChannel epoll)) {
            return;
        }
        set(channel, EpollChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
        set(channel, EpollChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
        set(channel, EpollChannelOption.TCP_KEEPCNT, KEEPALIVE_PROBES);
        set(channel, EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
        try {
            epoll.config()
                    .setOption(
                            new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, CUBIC.length),
                            ByteBuffer.allocateDirect(CUBIC.length).put(CUBIC).flip());
        } catch (ChannelException e) {
            LOG.debug("congestion control cubic is not to be had: {}", e.toString());
        }
    }

    private static <T> void set(Channel channel, ChannelOption<T> option, T value) {
        try {
            channel.config().setOption(option, value);
        } catch (ChannelException | UnsupportedOperationException e) {
            LOG.debug("{} is not to be had: {}", option, e.toString());
        }
    }

    static void shutDown(EventLoopGroup loops) {
        loops.shutdownGracefully(0, LOOP_SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }
}
