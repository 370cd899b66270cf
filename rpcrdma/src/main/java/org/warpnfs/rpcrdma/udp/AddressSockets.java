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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket for each address of the host, beside one for all.
 *
 * <h2>Operation</h2>
 *
 * What comes to an address is given to the socket of that address, and a reply that it sends leaves from there. A
 * socket for all addresses would have the reply leave from the one that routing prefers, and whoever asked another
 * drops it. Addresses come and go, so they are looked at again every {@value #SECONDS} s; until then the socket for all
 * takes what comes to a new one.
 *
 * <h2>Errors</h2>
 *
 * An address that cannot be had is left to the socket for all, and so are those beyond {@value #MOST}. Safe for any
 * thread.
 */
final class AddressSockets {
    /** Linux lets sockets of one user share a port so, and of no other. */
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
     * None yet.
     *
     * @param bootstrap makes sockets of {@link #SHARED_PORT}
     * @param addresses of the host, now
     */
    AddressSockets(Bootstrap bootstrap, int port, Supplier<Set<InetAddress>> addresses) {
        this.bootstrap = bootstrap;
        this.port = port;
        this.addresses = addresses;
    }

    /** The addresses of this host; none if it does not say. */
    static Set<InetAddress> ofHost() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .collect(Collectors.toSet());
        } catch (SocketException e) {
            LOG.debug("the addresses of this host cannot be had: {}", e.getMessage());
            return Set.of();
        }
    }

    /** Makes sockets, and waits for them; not on the thread of {@code loop}, which looks again later. */
    void begin(EventLoopGroup loop) {
        look().forEach(ChannelFuture::awaitUninterruptibly);
        var _ = loop.next().scheduleWithFixedDelay(this::look, SECONDS, SECONDS, TimeUnit.SECONDS);
    }

    /** Makes what is missing, and closes what nobody needs. */
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
