package org.warpnfs.nfs.export;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/**
 * The link of a link-local IPv6 address: the {@code eth0} of {@code fe80::1%eth0} (RFC 4007, section 11.2). Hosts on
 * two links may have the same link-local address, and {@link InetAddress#equals} takes them for one host.
 *
 * <p>Immutable; safe for any thread.
 *
 * @param text the name of an interface of this host, or its number; empty for any link
 */
record Zone(String text) {
    static final Zone ANY = new Zone("");

    private static final char DELIMITER = '%';

    /** Returns the part of an address before its zone. */
    static String before(String address) {
        int at = address.indexOf(DELIMITER);
        return at < 0 ? address : address.substring(0, at);
    }

    /**
     * Returns the zone of an address.
     *
     * @throws IllegalArgumentException if the address ends with {@code %}
     */
    static Zone of(String address) {
        int at = address.indexOf(DELIMITER);
        if (at == address.length() - 1) {
            throw new IllegalArgumentException("'" + address + "': the interface behind the '%' is missing");
        }
        return at < 0 ? ANY : new Zone(address.substring(at + 1));
    }

    /** Returns the number of the interface that an address belongs to; 0 if it belongs to none, or none is known. */
    static int numberOf(InetAddress address) {
        return address instanceof Inet6Address scoped ? scoped.getScopeId() : 0;
    }

    /** Returns the zone of an address by the name of its interface; any if it has none. */
    static Zone of(InetAddress address) {
        int number = numberOf(address);
        try {
            NetworkInterface link = number == 0 ? null : NetworkInterface.getByIndex(number);
            return link == null ? ANY : new Zone(link.getName());
        } catch (SocketException e) {
            return ANY;
        }
    }

    boolean isAny() {
        return text.isEmpty();
    }

    /** True if the host at {@code address} is on this link. A host on an unknown link is on none that has a name. */
    boolean holds(InetAddress address) {
        if (isAny()) {
            return true;
        }
        int number = numberOf(address);
        return number != 0 && (text.equals(Integer.toString(number)) || equals(of(address)));
    }

    /** Returns the end of an address: empty, or the zone behind a {@code %}. */
    @Override
    public String toString() {
        return isAny() ? "" : DELIMITER + text;
    }
}
