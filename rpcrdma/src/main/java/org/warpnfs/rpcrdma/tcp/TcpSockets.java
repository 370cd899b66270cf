package org.warpnfs.rpcrdma.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
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
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;

    /** Paced congestion control such as bbr halves what a loopback or data centre link gives. */
    private static final byte[] CUBIC = "cubic".getBytes(StandardCharsets.US_ASCII);

    private TcpSockets() {}

    static EventLoopGroup loops(String name, int threads) {
        return new MultiThreadIoEventLoopGroup(
                threads,
                new DefaultThreadFactory(name, true),
                Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    /** Sets what Netty has no name for; what the platform does not take is left as it is. */
    static void tune(Channel channel) {
        if (!(channel instanceof EpollSocketChannel epoll)) {
            return;
        }
        try {
            epoll.config()
                    .setOption(
                            new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, CUBIC.length),
                            ByteBuffer.allocateDirect(CUBIC.length).put(CUBIC).flip());
        } catch (ChannelException e) {
            LOG.debug("congestion control cubic is not to be had: {}", e.toString());
        }
    }

    static void shutDown(EventLoopGroup loops) {
        loops.shutdownGracefully(0, LOOP_SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }
}
