package org.warpnfs.iwarp.verbs;

import java.net.InetSocketAddress;

/** Opens connections. Safe for any thread. */
public interface Connector {
    /**
     * Starts to connect. {@link QueuePairHandler#created} is called first, then either
     * {@link QueuePairHandler#established} or {@link QueuePairHandler#disconnected}. A name that does not resolve and a
     * peer that does not answer in time are also reported by disconnected.
     *
     * @throws IllegalStateException if the transport or the completion queue is closed
     * @throws IllegalArgumentException if the options name an object of another transport
     */
    void connect(InetSocketAddress remote, ConnectOptions options, QueuePairHandler handler);
}
