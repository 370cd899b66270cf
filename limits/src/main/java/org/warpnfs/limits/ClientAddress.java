package org.warpnfs.limits;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Who counts as one client where shares and limits are kept: an IPv4 address, or the /64 network of an IPv6 address.
 *
 * <p>A host is free to choose among the 2^64 addresses of its IPv6 network (RFC 4291, section 2.5.1; RFC 8981), so a
 * limit for each IPv6 address would be no limit. An IPv4 address that is written as an IPv6 one (RFC 4291, section
 * 2.5.5.2) is the IPv4 address. Connections without an address, as simulated links have them, all belong to
 * {@link #NONE}.
 *
 * <p>Immutable, safe for any thread.
 *
 * @param network an IPv4 address, or an IPv6 address whose lower 64 bits are zero and that names no interface
 */
public record ClientAddress(InetAddress network) {
    private static final int NETWORK_BYTES = 8;
    private static final int IPV6_BYTES = 16;

    /** Stands for every peer that has no address. */
    public static final ClientAddress NONE = new ClientAddress(address(new byte[IPV6_BYTES]));

    /** Takes any address; only its network counts. */
    public ClientAddress {
        if (network instanceof Inet6Address) {
            byte[] bytes = new byte[IPV6_BYTES];
            System.arraycopy(network.getAddress(), 0, bytes, 0, NETWORK_BYTES);
            network = address(bytes);
        }
    }

    /** The client that an address belongs to. */
    public static ClientAddress of(InetAddress address) {
        return new ClientAddress(address);
    }

    /** The client that a socket address belongs to; {@link #NONE} if its host was never resolved. */
    public static ClientAddress of(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        return host == null ? NONE : of(host);
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of " + bytes.length + " bytes is one", e);
        }
    }

    /** The address, or the network with its length. */
    @Override
    public String toString() {
        return network instanceof Inet6Address ? network.getHostAddress() + "/64" : network.getHostAddress();
    }
}
