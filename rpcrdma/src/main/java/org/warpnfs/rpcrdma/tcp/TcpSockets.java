package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import org.warpnfs.sockets.SocketTuning;

/** Threads and socket options for both ends of a TCP connection: epoll where there is one, NIO elsewhere. */
final class TcpSockets {
    private static final long LOOP_SHUTDOWN_MILLIS = 2000;

    /** Paced congestion control such as bbr halves what a loopback or data centre link gives. */
    private static final String CONGESTION_CONTROL = "cubic";

    /**
     * Netty's default one gives a region of 128 KiB to 8 MiB back only when the last buffer of it is released, once
     * there are some hundred regions. Here peers decide how long each record is held, so that a few of them could keep
     * thirty times their length.
     */
    private static final ByteBufAllocator MEMORY = PooledByteBufAllocator.DEFAULT;

    private TcpSockets() {}

    static EventLoopGroup loops(String name, int threads) {
        return new MultiThreadIoEventLoopGroup(
                threads,
                new DefaultThreadFactory(name, true),
                Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    /** Sets where buffers come from, before anything is read, and what {@link SocketTuning} sets. */
    static void tune(Channel channel) {
        channel.config().setAllocator(MEMORY);
        SocketTuning.apply(channel, CONGESTION_CONTROL);
    }

    static void shutDown(EventLoopGroup loops) {
        loops.shutdownGracefully(0, LOOP_SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }
}
