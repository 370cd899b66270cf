package org.warpnfs.limits;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.warpnfs.keys.KeyedHash;

/**
 * The identity of a client for shares and limits: an IPv4 address, or the /64 network of an IPv6 address.
 *
 * <p>A host is free to choose among the 2^64 addresses of its IPv6 network (RFC 4291, section 2.5.1; RFC 8981), so a
 * limit for each IPv6 address would be no limit. An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) counts as the
 * IPv4 address. Connections without an address, such as simulated links, all belong to {@link #NONE}.
 *
 * <p>Immutable, safe for any thread.
 *
 * @param network an IPv4 address, or an IPv6 address whose lower 64 bits are zero and that has no scope
 */
public record ClientAddress(InetAddress network) {
    private static final int NETWORK_BYTES = 8;
    private static final int IPV6_BYTES = 16;

    /** The client of every peer that has no address. */
    public static final ClientAddress NONE = new ClientAddress(address(new byte[IPV6_BYTES]));

    /** Accepts any address. Only its network is kept. */
    public ClientAddress {
        if (network instanceof Inet6Address) {
            byte[] bytes = new byte[IPV6_BYTES];
            System.arraycopy(network.getAddress(), 0, bytes, 0, NETWORK_BYTES);
            network = address(bytes);
        }
    }

    /** The client of an address. */
    public static ClientAddress of(InetAddress address) {
        return new ClientAddress(address);
    }

    /** The client of a socket address; {@link #NONE} if its host was never resolved. */
    public static ClientAddress of(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        return host == null ? NONE : of(host);
    }

    /** An IPv4 address is a number, and no two of one hash code can be chosen. */
    @Override
    public int hashCode() {
        return network instanceof Inet6Address ? KeyedHash.of(network) : KeyedHash.of(network.hashCode());
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of " + bytes.length + " bytes is one", e);
        }
    }

    /** The address, or the network with its prefix length. */
    @Override
    public String toString() {
        return network instanceof Inet6Address ? network.getHostAddress() + "/64" : network.getHostAddress();
    }
}
