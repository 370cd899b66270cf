package org.warpnfs.server.rpcbind;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The address of a version of a program: rpcb of RFC 1833, section 2.1.
 *
 * @param program unsigned 32 bits, like the version
 * @param netid the netid as text; registrations of others may contain anything
 * @param address the universal address
 * @param owner the user who registered it, according to rpcbind
 */
public record Mapping(int program, int version, String netid, String address, String owner) {
    static Mapping of(int program, int version, Netid netid, InetAddress host, int port, String owner) {
        return new Mapping(program, version, netid.id(), UniversalAddress.of(host, port), owner);
    }

    /** Returns whether both are for the same program, version and transport; rpcbind keeps only one such mapping. */
    boolean isKin(Mapping other) {
        return program == other.program && version == other.version && netid.equals(other.netid);
    }

    /** Returns its port; 0 if its address is not an IP address. */
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
