package org.warpnfs.server.rpcbind;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Collections;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lets clients find this server by program number until it is closed. Safe for any thread. */
public final class Rpcbind implements AutoCloseable {
    private static final int IPV6_BYTES = 16;

    private final AutoCloseable part;
    private final @Nullable String description;
    private boolean closed;

    private Rpcbind(AutoCloseable part, @Nullable String description) {
        this.part = part;
        this.description = description;
    }

    /**
     * The addresses of a server.
     *
     * @param rdma null if nothing is served over RDMA
     * @param tcp null if nothing is served over TCP
     * @param udp null if nothing is served over UDP
     * @param mountUdp whether MOUNT is served there
     * @param nlm whether NLM and NSM are to be found, over TCP and UDP
     */
    public record Addresses(
            @Nullable InetSocketAddress rdma,
            @Nullable InetSocketAddress tcp,
            @Nullable InetSocketAddress udp,
            boolean mountUdp,
            boolean nlm) {
        Mappings mappings(String owner) {
            Mappings mappings = new Mappings(owner, hostHasIpv6());
            if (tcp != null) {
                mappings.nfsOverTcp(tcp);
            }
            if (rdma != null) {
                mappings.nfsOverRdma(rdma);
            }
            if (tcp != null && nlm) {
                mappings.nlm("tcp", tcp);
            }
            if (udp != null && nlm) {
                mappings.nlm("udp", udp);
            }
            return udp != null && mountUdp ? mappings.mountOverUdp(udp) : mappings;
        }
    }

    /**
     * Registers or starts a portmapper, as chosen.
     *
     * @throws IOException if the portmapper cannot listen on its port
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
        // rpcbind sets the owner by itself.
        RpcbindRegistration registration = RpcbindRegistration.start(addresses.mappings(""));
        return new Rpcbind(registration, registration.isRegistered() ? "registered with this host's rpcbind" : null);
    }

    /** Returns a short description; empty if clients find nothing through rpcbind. */
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

    /** Withdraws the registrations, or frees the port. Does nothing the second time. */
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
