package org.warpnfs.rpcrdma.udp;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.schedule.Repeated;

/**
 * Opens a socket for each address of the host, beside the one for all addresses.
 *
 * <h2>Operation</h2>
 *
 * Linux delivers a datagram to the socket of its destination address, and the reply is sent from that address. A socket
 * for all addresses would send the reply from the address that routing prefers, and a client that asked another address
 * drops such a reply. Addresses come and go, so they are checked every {@value #SECONDS} s. Until then the socket for
 * all addresses receives the datagrams to a new one.
 *
 * <h2>Errors</h2>
 *
 * An address for which no socket can be opened is left to the socket for all addresses. So are those beyond
 * {@value #MOST}. Safe for any thread.
 */
final class AddressSockets {
    /** With this option Linux lets sockets share a port if they belong to one user. */
    static final ChannelOption<Boolean> SHARED_PORT = NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT);

    static final int MOST = 64;

    private static final Logger LOG = LoggerFactory.getLogger(AddressSockets.class);
    private static final int SECONDS = 5;

    private final Bootstrap bootstrap;
    private final int port;
    private final Supplier<Set<InetAddress>> addresses;
    private final Map<InetAddress, Channel> sockets = new HashMap<>();
    private boolean closed;

    /**
     * Creates no sockets yet.
     *
     * @param bootstrap opens sockets with {@link #SHARED_PORT}
     * @param addresses returns the current addresses of the host
     */
    AddressSockets(Bootstrap bootstrap, int port, Supplier<Set<InetAddress>> addresses) {
        this.bootstrap = bootstrap;
        this.port = port;
        this.addresses = addresses;
    }

    /** The addresses of this host; empty if they cannot be read. */
    static Set<InetAddress> ofHost() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .collect(Collectors.toSet());
        } catch (SocketException e) {
            LOG.debug("the addresses of this host cannot be read: {}", e.getMessage());
            return Set.of();
        }
    }

    /**
     * Opens sockets, and waits for them. The thread of {@code loop} checks the addresses again later, so this must not
     * be called on it.
     */
    void begin(EventLoopGroup loop) {
        look().forEach(ChannelFuture::awaitUninterruptibly);
        var _ = Repeated.afterPauses(loop.next(), Duration.ofSeconds(SECONDS), this::lookAgain);
    }

    private void lookAgain() {
        try {
            look();
        } catch (RuntimeException | Error e) {
            // It would end the schedule: addresses that come later would have no sockets.
            LOG.error("port {}: the addresses of this host cannot be looked at now", port, e);
        }
    }

    /** Opens the missing sockets, and closes those that are no longer needed. */
    synchronized List<ChannelFuture> look() {
        List<ChannelFuture> made = new ArrayList<>();
        if (closed) {
            return made;
        }
        Set<InetAddress> now = addresses.get();
        sockets.entrySet().removeIf(socket -> {
            boolean isGone = !now.contains(socket.getKey());
            if (isGone) {
                var _ = socket.getValue().close();
            }
            return isGone || !socket.getValue().isOpen();
        });
        for (InetAddress address : now) {
            if (sockets.size() < MOST && !sockets.containsKey(address)) {
                ChannelFuture bound = bootstrap.bind(new InetSocketAddress(address, port));
                sockets.put(address, bound.channel());
                made.add(bound);
            }
        }
        return made;
    }

    synchronized void close() {
        closed = true;
        sockets.values().forEach(socket -> socket.close().awaitUninterruptibly());
    }
}
