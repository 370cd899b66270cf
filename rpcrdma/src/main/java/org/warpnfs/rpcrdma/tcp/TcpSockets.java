package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.TimeUnit;
import org.warpnfs.sockets.LoopThreads;
import org.warpnfs.sockets.SocketTuning;

/** Threads and socket options for both ends of a TCP connection: epoll where available, else NIO. */
final class TcpSockets {
    private static final long LOOP_SHUTDOWN_MILLIS = 2000;

    /** Paced congestion control such as bbr halves the throughput of loopback and data centre links. */
    private static final String CONGESTION_CONTROL = "cubic";

    /**
     * The allocator of socket buffers. Netty's default one, once it has some hundred regions of 128 KiB to 8 MiB, frees
     * a region only when its last buffer is released. Here peers decide how long each record is held, so a few of them
     * could keep thirty times their length in use.
     */
    private static final ByteBufAllocator MEMORY = PooledByteBufAllocator.DEFAULT;

    private TcpSockets() {}

    static EventLoopGroup loops(String name, int threads) {
        return new MultiThreadIoEventLoopGroup(
                threads,
                new LoopThreads(name, true),
                Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    /** Sets the allocator, before anything is read, and the options of {@link SocketTuning}. */
    static void tune(Channel channel) {
        channel.config().setAllocator(MEMORY);
        SocketTuning.apply(channel, CONGESTION_CONTROL);
    }

    /** Sets what the connections of a listener inherit, before it is bound. */
    static void tuneListener(Channel listener) {
        SocketTuning.congestionControl(listener, CONGESTION_CONTROL);
    }

    static void shutDown(EventLoopGroup loops) {
        loops.shutdownGracefully(0, LOOP_SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }
}
