package org.warpnfs.server.rpcbind;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Where a version of a program is: rpcb of RFC 1833, section 2.1.
 *
 * @param program unsigned 32 bits, and so is the version
 * @param netid as it is written; anything, where others have registered
 * @param address universal
 * @param owner who registered it, as rpcbind says
 */
public record Mapping(int program, int version, String netid, String address, String owner) {
    static Mapping of(int program, int version, Netid netid, InetAddress host, int port, String owner) {
        return new Mapping(program, version, netid.id(), UniversalAddress.of(host, port), owner);
    }

    /** True if they name one version of one program over one transport: rpcbind keeps one of those. */
    boolean isKin(Mapping other) {
        return program == other.program && version == other.version && netid.equals(other.netid);
    }

    /** Its port; 0 if its address is none of IP. */
    int port() {
        return UniversalAddress.parse(address).map(InetSocketAddress::getPort).orElse(0);
    }

    Optional<Netid> knownNetid() {
        return Netid.parse(netid);
    }

    @Override
    public String toString() {
        return Integer.toUnsignedString(program) + " version " + Integer.toUnsignedString(version) + " over " + netid
                + " at " + address;
    }
}
