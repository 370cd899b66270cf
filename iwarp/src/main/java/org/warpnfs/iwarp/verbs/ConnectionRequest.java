package org.warpnfs.iwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A peer asks to connect (RFC 5044, section 7.1, RFC 6581, section 9). Answered once, by {@link #accept} or
 * {@link #reject}, on the thread that brought it: at once, or later, before the time for the startup is over and the
 * connection closed.
 */
public interface ConnectionRequest {
    InetSocketAddress remoteAddress();

    /** What the peer's upper layer said, read-only; 512 bytes at most. */
    ByteBuffer privateData();

    /**
     * Inbound RDMA Reads the peer can hold; our ORD will not exceed it. {@link ConnectOptions#MAX_READS} if it named no
     * number.
     */
    int peerIrd();

    /** RDMA Reads the peer would keep outstanding. {@link ConnectOptions#MAX_READS} if it named no number. */
    int peerOrd();

    /**
     * Accepts. {@link QueuePairHandler#created} is called before the answer leaves, so that receive buffers are posted
     * before the peer can fill one; what it throws ends the connection.
     *
     * @throws IllegalStateException if the request was answered already, the connection has ended, or the completion
     *     queue is closed
     * @throws IllegalArgumentException if the options name an object of another transport
     */
    void accept(ConnectOptions options, QueuePairHandler handler);

    /**
     * Refuses, telling the peer's upper layer why. Does nothing if the connection has ended.
     *
     * @param privateData at most {@value ConnectOptions#MAX_PRIVATE_DATA_BYTES} bytes
     * @throws IllegalStateException if the request was answered already
     * @throws IllegalArgumentException if it is longer; the request can still be answered
     */
    void reject(ByteBuffer privateData);
}
