package org.warpnfs.iwarp.netty;

import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Socket options that Netty has no name for. What the platform does not take is left as it is. */
final class SocketTuning {
    private static final Logger LOG = LoggerFactory.getLogger(SocketTuning.class);
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;

    private SocketTuning() {}

    static void apply(SocketChannel channel, String congestionControl) {
        if (congestionControl.isEmpty() || !(channel instanceof EpollSocketChannel epoll)) {
            return;
        }
        byte[] name = congestionControl.getBytes(StandardCharsets.US_ASCII);
        try {
            epoll.config()
                    .setOption(
                            new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, name.length),
                            ByteBuffer.allocateDirect(name.length).put(name).flip());
        } catch (ChannelException e) {
            LOG.debug("congestion control {} is not to be had: {}", congestionControl, e.toString());
        }
    }
}
