package org.warpnfs.server.rpcbind;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The netids of transports.
 *
 * @spec https://www.rfc-editor.org/rfc/rfc5665#section-5.1 RFC 5665, section 5.1
 */
public enum Netid {
    TCP("tcp", "inet", 6),
    TCP6("tcp", "inet6", 0),
    UDP("udp", "inet", 17),
    UDP6("udp", "inet6", 0),
    /** RFC 5666, section 10. */
    RDMA("rdma", "inet", 0),
    RDMA6("rdma", "inet6", 0);

    private final String protocol;
    private final String family;
    private final int portmapProtocol;

    Netid(String protocol, String family, int portmapProtocol) {
        this.protocol = protocol;
        this.family = family;
        this.portmapProtocol = portmapProtocol;
    }

    /** Returns the netid as text. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** nc_proto of RFC 1833, section 2.1. */
    String protocol() {
        return protocol;
    }

    /** nc_protofmly. */
    String family() {
        return family;
    }

    /** nc_semantics: 1 is connectionless, 3 is connection oriented with an orderly end. */
    int semantics() {
        return protocol.equals("udp") ? 1 : 3;
    }

    /** Returns the protocol number of version 2: 6 for TCP and 17 for UDP over IPv4; 0 if version 2 has none. */
    int portmapProtocol() {
        return portmapProtocol;
    }

    boolean isIpv6() {
        return family.equals("inet6");
    }

    static Netid of(String protocol, boolean ipv6) {
        return valueOf((ipv6 ? protocol + "6" : protocol).toUpperCase(Locale.ROOT));
    }

    /** Returns the netid; empty if this server does not use it. */
    static Optional<Netid> parse(String id) {
        return Stream.of(values()).filter(netid -> netid.id().equals(id)).findFirst();
    }
}
