package org.warpnfs.nfs.v4.state.callback;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * A transport address as text (RFC 5665, section 5.2): a literal address, followed by the two bytes of a port.
 *
 * <pre>
 *   netid  address                                port
 *   tcp    h1.h2.h3.h4.p1.p2, decimal             p1 * 256 + p2
 *   tcp6   x:x:x:x:x:x:x:x.p1.p2, as RFC 4291 writes it
 * </pre>
 *
 * @param netid r_netid
 * @param address r_addr
 */
public record UniversalAddress(String netid, String address) {
    private static final int MAX_LENGTH_BYTES = 128;
    private static final String IPV6_CHARACTERS = "0123456789abcdefABCDEF:.";

    /**
     * Decodes clientaddr4 (RFC 7530, section 2.2.10).
     *
     * @throws Nfs4Exception BADXDR also for text that is longer than any address
     */
    public static UniversalAddress decode(CompoundReader in) throws Nfs4Exception {
        return new UniversalAddress(text(in), text(in));
    }

    private static String text(CompoundReader in) throws Nfs4Exception {
        // A byte that is not ASCII becomes a character that no address has.
        return new String(in.opaque(MAX_LENGTH_BYTES), StandardCharsets.ISO_8859_1);
    }

    /** The address and port; null if the text is not an address and port of TCP. No name is ever resolved. */
    public @Nullable InetSocketAddress parse() {
        int low = address.lastIndexOf('.');
        int high = low < 0 ? -1 : address.lastIndexOf('.', low - 1);
        if (high < 0 || address.length() > MAX_LENGTH_BYTES) {
            return null;
        }
        int p1 = octet(address.substring(high + 1, low));
        int p2 = octet(address.substring(low + 1));
        if (p1 < 0 || p2 < 0 || p1 + p2 == 0) {
            return null;
        }
        String literal = address.substring(0, high);
        InetAddress host =
                switch (netid) {
                    case "tcp" -> ipv4(literal);
                    case "tcp6" -> ipv6(literal);
                    default -> null;
                };
        return host == null ? null : new InetSocketAddress(host, p1 << Byte.SIZE | p2);
    }

    private static @Nullable InetAddress ipv4(String literal) {
        String[] parts = literal.split("\\.", -1);
        byte[] bytes = new byte[4];
        if (parts.length != bytes.length) {
            return null;
        }
        for (int i = 0; i < bytes.length; i++) {
            int octet = octet(parts[i]);
            if (octet < 0) {
                return null;
            }
            bytes[i] = (byte) octet;
        }
        return ofBytes(bytes);
    }

    private static @Nullable InetAddress ipv6(String literal) {
        // The JDK also accepts scopes and brackets, and takes text without a colon for something else.
        if (literal.indexOf(':') < 0 || !literal.chars().allMatch(c -> IPV6_CHARACTERS.indexOf(c) >= 0)) {
            return null;
        }
        try {
            return InetAddress.ofLiteral(literal);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable InetAddress ofBytes(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** Parses 0 to 255 in one to three decimal digits; -1 for anything else. */
    private static int octet(String text) {
        if (text.isEmpty() || text.length() > 3 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        int value = Integer.parseInt(text);
        return value <= 0xff ? value : -1;
    }
}
