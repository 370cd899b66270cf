package org.warpnfs.server.rpcbind;

import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import java.net.InetSocketAddress;

/** The choices of {@code serve --rpcbind}. */
public sealed interface RpcbindChoice {
    /** Neither: clients must name ports. */
    record Off() implements RpcbindChoice {}

    /** Register with the rpcbind of this host, if one runs. */
    record Register() implements RpcbindChoice {}

    /**
     * Run a portmapper in this server.
     *
     * @param address where it listens
     */
    record Serve(InetSocketAddress address) implements RpcbindChoice {}

    /**
     * Parses {@code off}, {@code register}, {@code serve}, or {@code serve:ADDR:PORT}, where {@code ADDR} is numeric,
     * with IPv6 in brackets.
     *
     * @throws IllegalArgumentException if the text is wrong; it says why
     */
    static RpcbindChoice parse(String text) {
        switch (text) {
            case "off" -> {
                return new Off();
            }
            case "register" -> {
                return new Register();
            }
            case "serve" -> {
                return new Serve(new InetSocketAddress(PortmapService.PORT));
            }
            default -> {}
        }
        if (!text.startsWith("serve:")) {
            throw new IllegalArgumentException("not one of register, serve, serve:ADDR:PORT, off");
        }
        HostAndPort address = HostAndPort.fromString(text.substring("serve:".length()));
        if (!InetAddresses.isInetAddress(address.getHost())) {
            throw new IllegalArgumentException("'" + address.getHost() + "' is not an address");
        }
        return new Serve(new InetSocketAddress(
                InetAddresses.forString(address.getHost()), address.getPortOrDefault(PortmapService.PORT)));
    }
}
