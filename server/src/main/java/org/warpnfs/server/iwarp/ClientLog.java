package org.warpnfs.server.iwarp;

import java.net.InetSocketAddress;

/** Hears of the end of each client of a server. Called on owner threads. */
@FunctionalInterface
interface ClientLog {
    /**
     * Hears of one end.
     *
     * @param well whether the client did all of its test
     * @param line about it, for people
     */
    void ended(boolean well, String line);

    /** How a client is called in a line. */
    static String name(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
