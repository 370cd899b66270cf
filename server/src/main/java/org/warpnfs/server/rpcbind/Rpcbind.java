package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Collections;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How this server is found by program number, until it is closed. Safe for any thread. */
public final class Rpcbind implements AutoCloseable {
    private static final int IPV6_BYTES = 16;

    private final AutoCloseable part;
    private final @Nullable String description;
    private boolean closed;

    private Rpcbind(AutoCloseable part, @Nullable String description) {
        this.part = part;
        this.description = description;
    }

    /** Where a server listens; {@code mountUdp} is null if MOUNT is not served over UDP. */
    public record Addresses(
            InetSocketAddress rdma,
            InetSocketAddress tcp,
            @Nullable InetSocketAddress mountUdp) {
        Mappings mappings(String owner) {
            Mappings mappings =
                    new Mappings(owner, hostHasIpv6()).nfsOverTcp(tcp).nfsOverRdma(rdma);
            return mountUdp == null ? mappings : mappings.mountOverUdp(mountUdp);
        }
    }

    /**
     * Does as it was chosen.
     *
     * @throws IOException if the portmapper's own port cannot be had
     */
    public static Rpcbind start(RpcbindChoice choice, Addresses addresses) throws IOException {
        return switch (choice) {
            case RpcbindChoice.Off _ -> new Rpcbind(() -> {}, null);
            case RpcbindChoice.Register _ -> registered(addresses);
            case RpcbindChoice.Serve serve -> {
                PortmapService service = PortmapService.start(serve.address(), addresses.mappings("warpnfs"));
                yield new Rpcbind(
                        service,
                        "portmapper of its own at port " + service.address().getPort());
            }
        };
    }

    private static Rpcbind registered(Addresses addresses) {
        // rpcbind decides by itself who the owner is.
        RpcbindRegistration registration = RpcbindRegistration.start(addresses.mappings(""));
        return new Rpcbind(registration, registration.isRegistered() ? "registered with this host's rpcbind" : null);
    }

    /** A few words for people; empty if clients find nothing by rpcbind. */
    public Optional<String> describe() {
        return Optional.ofNullable(description);
    }

    private static boolean hostHasIpv6() {
        try {
            for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                for (InetAddress address : Collections.list(network.getInetAddresses())) {
                    if (address.getAddress().length == IPV6_BYTES) {
                        return true;
                    }
                }
            }
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    /** Withdraws what is registered, or frees the port; nothing if that was done. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            part.close();
        } catch (Exception e) {
            throw new IllegalStateException("rpcbind: " + e.getMessage(), e);
        }
    }
}
