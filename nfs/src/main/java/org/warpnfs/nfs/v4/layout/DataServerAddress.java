package org.warpnfs.nfs.v4.layout;

import com.google.common.net.HostAndPort;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;

/**
 * One address of a data server, as netaddr4 (RFC 5665, sections 5.2 and 5.3; RFC 8166, section 5.1 for rdma).
 *
 * @param transport by which clients reach it
 * @param host a literal address: clients are never given a name
 */
public record DataServerAddress(Transport transport, InetAddress host, int port) {
    private static final int MAX_PORT = 0xffff;

    /** A transport of RPC. With an IPv6 address its netid ends with 6. */
    public enum Transport {
        TCP,
        RDMA
    }

    public DataServerAddress {
        if (port <= 0 || port > MAX_PORT) {
            throw new IllegalArgumentException("port " + port + " is not within 1.." + MAX_PORT);
        }
    }

    /** na_r_netid. */
    String netid() {
        String name = transport.name().toLowerCase(Locale.ROOT);
        return host instanceof Inet6Address ? name + "6" : name;
    }

    /** na_r_addr: the literal address and the two bytes of the port, all separated by dots. */
    String universal() {
        return host.getHostAddress() + "." + (port >> Byte.SIZE) + "." + (port & 0xff);
    }

    /** Address and port, for people. */
    String text() {
        return HostAndPort.fromParts(host.getHostAddress(), port).toString();
    }

    void encode(CompoundWriter out) {
        out.opaque(netid().getBytes(StandardCharsets.US_ASCII));
        out.opaque(universal().getBytes(StandardCharsets.US_ASCII));
    }
}
