package org.warpnfs.sockets;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollChannelConfig;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Sets the socket options of all connections of iWARP and of RPC over TCP. An option that the platform does not support
 * keeps its default.
 *
 * <p>TCP probes a peer that has been silent for a minute, and ends the connection after another minute without an
 * answer. It also ends a connection whose peer has acknowledged nothing for two minutes. Otherwise a peer whose host
 * has vanished would hold its receives and its place for ever. Keepalive alone does not cover data in flight, which
 * Linux retransmits for a quarter of an hour. The limit for data in flight (TCP_USER_TIMEOUT) is set with epoll only.
 *
 * <p>A listener has to have the congestion control before it listens. Its connections inherit it. If the system's own
 * is a paced one such as bbr, the kernel paces a connection that began with it even after it has another.
 */
public final class SocketTuning {
    private static final Logger LOG = LoggerFactory.getLogger(SocketTuning.class);
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    private static final IntegerUnixChannelOption TCP_MAXSEG =
            new IntegerUnixChannelOption("TCP_MAXSEG", IPPROTO_TCP, 2);

    /** Segments that fit every path of IPv6 (1280 bytes), with its header, that of TCP and timestamps. */
    private static final int LEAST_SEGMENT_BYTES = 1208;

    private static final int KEEPALIVE_IDLE_SECONDS = 60;
    private static final int KEEPALIVE_INTERVAL_SECONDS = 10;
    private static final int KEEPALIVE_PROBES = 6;

    /** As long as all keepalive probes take. A shorter timeout would end a connection because of one lost probe. */
    private static final int USER_TIMEOUT_MILLIS =
            1000 * (KEEPALIVE_IDLE_SECONDS + KEEPALIVE_INTERVAL_SECONDS * KEEPALIVE_PROBES);

    /** The names of congestion controls of which the log has said that the kernel refuses them. */
    private static final Set<String> REFUSED = ConcurrentHashMap.newKeySet();

    private SocketTuning() {}

    /**
     * Sets the options of one channel, before or after it is connected.
     *
     * @param congestionControl the name of the congestion control in Linux; the system's choice if it is empty or not
     *     available
     */
    public static void apply(Channel channel, String congestionControl) {
        set(channel, ChannelOption.SO_KEEPALIVE, true);
        if (channel instanceof EpollSocketChannel epoll) {
            set(channel, EpollChannelOption.TCP_KEEPIDLE, KEEPALIVE_IDLE_SECONDS);
            set(channel, EpollChannelOption.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_SECONDS);
            set(channel, EpollChannelOption.TCP_KEEPCNT, KEEPALIVE_PROBES);
            set(channel, EpollChannelOption.TCP_USER_TIMEOUT, USER_TIMEOUT_MILLIS);
            congestionControl(epoll, congestionControl);
        } else {
            set(channel, NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), KEEPALIVE_IDLE_SECONDS);
            set(channel, NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), KEEPALIVE_INTERVAL_SECONDS);
            set(channel, NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), KEEPALIVE_PROBES);
        }
    }

    /**
     * The data that TCP sends in one segment of a connection now (EMSS), without options such as timestamps. The path
     * may change it at any time. Where the platform does not say, it is what every path of IPv6 takes.
     */
    public static int segmentBytes(Channel channel) {
        try {
            Integer bytes =
                    channel instanceof EpollSocketChannel epoll ? epoll.config().getOption(TCP_MAXSEG) : null;
            return bytes == null ? LEAST_SEGMENT_BYTES : bytes;
        } catch (ChannelException e) {
            // The connection has just ended.
            return LEAST_SEGMENT_BYTES;
        }
    }

    private static <T> void set(Channel channel, ChannelOption<T> option, T value) {
        try {
            channel.config().setOption(option, value);
        } catch (ChannelException | UnsupportedOperationException e) {
            LOG.debug("socket option {} cannot be set: {}", option, e.toString());
        }
    }

    /**
     * Sets the congestion control of one channel.
     *
     * @param channel a connection, or a listener before it is bound
     * @param name as for {@link #apply}
     */
    public static void congestionControl(Channel channel, String name) {
        if (name.isEmpty() || !(channel.config() instanceof EpollChannelConfig config)) {
            return;
        }
        byte[] value = name.getBytes(StandardCharsets.US_ASCII);
        try {
            config.setOption(
                    new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, value.length),
                    ByteBuffer.allocateDirect(value.length).put(value).flip());
        } catch (ChannelException e) {
            // Told once, since the kernel will say the same of each listener and of each of its connections.
            boolean first = channel instanceof ServerChannel && REFUSED.add(name);
            LOG.atLevel(first ? Level.INFO : Level.DEBUG)
                    .log(
                            "congestion control {} cannot be set, so connections have the system's own"
                                    + " (net.ipv4.tcp_allowed_congestion_control): {}",
                            name,
                            e.getMessage());
        }
    }
}
