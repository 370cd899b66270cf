package org.warpnfs.iwarp.verbs;

import java.net.InetSocketAddress;

/** Opens connections. Safe for any thread. */
public interface Connector {
    /**
     * Starts to connect. {@link QueuePairHandler#created} is called first, then either {@link
     * QueuePairHandler#established} or {@link QueuePairHandler#disconnected}.
     */
    void connect(InetSocketAddress remote, ConnectOptions options, QueuePairHandler handler);
}
