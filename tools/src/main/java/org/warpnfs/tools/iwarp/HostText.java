package org.warpnfs.tools.iwarp;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Formats addresses. */
public final class HostText {
    private HostText() {}

    /** Returns address and port, with an IPv6 address in brackets; {@code *} for the wildcard address. */
    public static String of(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        String text = host.isAnyLocalAddress() ? "*" : host.getHostAddress();
        return (host instanceof Inet6Address && !host.isAnyLocalAddress() ? "[" + text + "]" : text) + ":"
                + address.getPort();
    }
}
