package org.warpnfs.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SocketTuningTest {
    private static final int WAIT_SECONDS = 60;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;

    /**
     * A vanished host is noticed within two minutes, idle or with data in flight. The system's own limits are hours.
     */
    @Test
    void socket_tuned_endsConnectionsOfVanishedHosts() {
        assumeTrue(Epoll.isAvailable());
        EpollSocketChannel channel = new EpollSocketChannel();
        try {
            SocketTuning.apply(channel, "");
            assertThat(channel.config().isKeepAlive()).isTrue();
            assertThat(channel.config().getTcpKeepIdle()).isEqualTo(60);
            assertThat(channel.config().getTcpKeepIntvl()).isEqualTo(10);
            assertThat(channel.config().getTcpKeepCnt()).isEqualTo(6);
            assertThat(channel.config().getTcpUserTimeout()).isEqualTo(120_000);
        } finally {
            channel.unsafe().closeForcibly();
        }
    }

    /** Every Linux has reno, and lets everybody choose it. It is nobody's default. */
    @Test
    void listenerWithCongestionControl_accepts_connectionsBeginWithIt() throws Exception {
        assumeTrue(Epoll.isAvailable());
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
            Channel listener = new ServerBootstrap()
                    .group(group)
                    .channel(EpollServerSocketChannel.class)
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel listening) {
                            SocketTuning.congestionControl(listening, "reno");
                        }
                    })
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel child) {
                            accepted.add(child);
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            InetSocketAddress address = (InetSocketAddress) listener.localAddress();
            try (Socket _ = new Socket(address.getAddress(), address.getPort())) {
                Channel child = accepted.poll(WAIT_SECONDS, TimeUnit.SECONDS);
                assertThat(child).isNotNull();
                assertThat(congestionControl(child)).isEqualTo("reno");
            }
        } finally {
            group.shutdownGracefully(0, WAIT_SECONDS, TimeUnit.SECONDS).sync();
        }
    }

    /** As in a container that may not choose it: an ordinary state, so one line that does not look like a fault. */
    @Test
    void congestionControlThatTheKernelRefuses_twoListeners_isToldOnceWithoutAnException() {
        assumeTrue(Epoll.isAvailable());
        Logger logger = (Logger) LoggerFactory.getLogger(SocketTuning.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            for (int listeners = 0; listeners < 2; listeners++) {
                EpollServerSocketChannel listener = new EpollServerSocketChannel();
                SocketTuning.congestionControl(listener, "no-such-control");
                listener.unsafe().closeForcibly();
            }
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("no-such-control", "No such file or directory")
                .doesNotContain("Exception");
    }

    private static String congestionControl(Channel channel) {
        ByteBuffer name =
                channel.config().getOption(new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, 16));
        byte[] bytes = new byte[name.remaining()];
        name.get(bytes);
        return new String(bytes, StandardCharsets.US_ASCII).split("\0", 2)[0];
    }
}
