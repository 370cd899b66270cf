package org.warpnfs.server.rpcbind;

import com.google.common.net.InetAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Universal addresses: the host's address and the two bytes of the port in decimal, separated by dots.
 *
 * @spec https://www.rfc-editor.org/rfc/rfc5665#section-5.2.3.3 RFC 5665, section 5.2.3.3
 */
final class UniversalAddress {
    private static final int MAX_BYTE = 255;

    private UniversalAddress() {}

    static String of(InetAddress host, int port) {
        String text = InetAddresses.toAddrString(host);
        int zone = text.indexOf('%');
        return (zone < 0 ? text : text.substring(0, zone)) + "." + (port >>> 8) + "." + (port & MAX_BYTE);
    }

    /** Parses an address; empty if it is neither IPv4 nor IPv6. */
    static Optional<InetSocketAddress> parse(String text) {
        int low = text.lastIndexOf('.');
        int high = low < 0 ? -1 : text.lastIndexOf('.', low - 1);
        if (high < 0 || !InetAddresses.isInetAddress(text.substring(0, high))) {
            return Optional.empty();
        }
        int highByte = number(text.substring(high + 1, low));
        int lowByte = number(text.substring(low + 1));
        if (highByte < 0 || lowByte < 0) {
            return Optional.empty();
        }
        return Optional.of(
                new InetSocketAddress(InetAddresses.forString(text.substring(0, high)), highByte << 8 | lowByte));
    }

    /** Returns 0 to 255, or -1. */
    private static int number(String digits) {
        if (digits.isEmpty() || digits.length() > 3 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        int value = Integer.parseInt(digits);
        return value <= MAX_BYTE ? value : -1;
    }
}
