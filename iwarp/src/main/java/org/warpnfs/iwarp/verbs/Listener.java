package org.warpnfs.iwarp.verbs;

import java.net.InetSocketAddress;

/** Accepts connections until it is closed. Closing does not end established connections. Safe for any thread. */
public interface Listener extends AutoCloseable {
    InetSocketAddress localAddress();

    /** Stops accepting and waits until the address is free again. */
    @Override
    void close();
}
