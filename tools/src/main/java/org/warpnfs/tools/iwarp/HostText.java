package org.warpnfs.tools.iwarp;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Addresses in lines for people. */
public final class HostText {
    private HostText() {}

    /** Address and port, the address of IPv6 in brackets; {@code *} for any address. */
    public static String of(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        String text = host.isAnyLocalAddress() ? "*" : host.getHostAddress();
        return (host instanceof Inet6Address && !host.isAnyLocalAddress() ? "[" + text + "]" : text) + ":"
                + address.getPort();
    }
}
