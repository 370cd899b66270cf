package org.warpnfs.iwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A peer asks to connect. Answered once, by {@link #accept} or {@link #reject}, on the thread that brought it. */
public interface ConnectionRequest {
    InetSocketAddress remoteAddress();

    /** What the peer's upper layer said, read-only. */
    ByteBuffer privateData();

    /** Inbound RDMA Reads the peer can hold; our ORD will not exceed it. */
    int peerIrd();

    /** RDMA Reads the peer would keep outstanding. */
    int peerOrd();

    /**
     * Accepts. {@link QueuePairHandler#created} is called before the answer leaves, so that receive buffers are posted
     * before the peer can fill one.
     */
    void accept(ConnectOptions options, QueuePairHandler handler);

    /** Refuses, telling the peer's upper layer why. */
    void reject(ByteBuffer privateData);
}
