package org.warpnfs.server.rpcbind;

import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import java.net.InetSocketAddress;

/** What {@code serve --rpcbind} says. */
public sealed interface RpcbindChoice {
    /** Ports have to be named. */
    record Off() implements RpcbindChoice {}

    /** With the rpcbind of this host, if one runs. */
    record Register() implements RpcbindChoice {}

    /**
     * A portmapper of our own.
     *
     * @param address where it answers
     */
    record Serve(InetSocketAddress address) implements RpcbindChoice {}

    /**
     * Reads {@code off}, {@code register}, {@code serve}, or {@code serve:ADDR:PORT}, where {@code ADDR} is a literal,
     * of IPv6 in brackets.
     *
     * @throws IllegalArgumentException with what is wrong
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
            throw new IllegalArgumentException("'" + address.getHost() + "' is no address");
        }
        return new Serve(new InetSocketAddress(
                InetAddresses.forString(address.getHost()), address.getPortOrDefault(PortmapService.PORT)));
    }
}
