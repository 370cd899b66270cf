package org.warpnfs.iwarp.verbs;

import java.net.InetSocketAddress;

/** Opens connections. Safe for any thread. */
public interface Connector {
    /**
     * Starts to connect. {@link QueuePairHandler#created} is called first, then either
     * {@link QueuePairHandler#established} or {@link QueuePairHandler#disconnected}: that hears also of a name that
     * does not resolve, and of whoever does not answer in time.
     *
     * @throws IllegalStateException if the transport is closed, or the completion queue is
     * @throws IllegalArgumentException if the options name an object of another transport
     */
    void connect(InetSocketAddress remote, ConnectOptions options, QueuePairHandler handler);
}
