package org.warpnfs.server.cli;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;

/** Parses {@code --http}: {@code ADDR:PORT}, {@code [ADDR]:PORT}, {@code :PORT} for every address, or {@code off}. */
final class HttpAddress {
    /** The default, reachable only from this host. */
    static final String DEFAULT = "127.0.0.1:9049";

    private static final int MAX_PORT = 65_535;

    private HttpAddress() {}

    /** Returns the address; null for {@code off}. */
    static @Nullable InetSocketAddress parse(String text) throws ConfigException {
        return parse("--http", text);
    }

    /**
     * Returns the address; null for {@code off}.
     *
     * @param what the option, for messages
     */
    static @Nullable InetSocketAddress parse(String what, String text) throws ConfigException {
        if (text.equals("off")) {
            return null;
        }
        int colon = text.lastIndexOf(':');
        int port = colon < 0 ? -1 : port(text.substring(colon + 1));
        if (port < 0) {
            throw new ConfigException(what + " " + text + ": not ADDR:PORT, nor off");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.contains(":")) {
            throw new ConfigException(what + " " + text + ": write an IPv6 address as [ADDR]:PORT");
        }
        return host.isEmpty() || host.equals("*")
                ? new InetSocketAddress(port)
                : new InetSocketAddress(HostAddress.of(what + " " + text, host), port);
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            return port > MAX_PORT ? -1 : port;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
