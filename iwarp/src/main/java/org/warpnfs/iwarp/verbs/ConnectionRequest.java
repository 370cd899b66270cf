package org.warpnfs.iwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A peer's request to connect (RFC 5044, section 7.1, RFC 6581, section 9). It is answered once, by {@link #accept} or
 * {@link #reject}, on the thread that delivered it. The answer may come later, but before the startup timeout closes
 * the connection.
 */
public interface ConnectionRequest {
    InetSocketAddress remoteAddress();

    /** The private data of the peer's upper layer, read-only; at most 512 bytes. */
    ByteBuffer privateData();

    /**
     * Inbound RDMA Reads that the peer can hold. Our ORD will not exceed it. {@link ConnectOptions#MAX_READS} if the
     * peer named no number.
     */
    int peerIrd();

    /**
     * RDMA Reads that the peer would keep outstanding. {@link ConnectOptions#MAX_READS} if the peer named no number.
     */
    int peerOrd();

    /**
     * Accepts the connection. {@link QueuePairHandler#created} is called before the reply is sent, so that receive
     * buffers can be posted before the first message of the peer. An exception from it ends the connection.
     *
     * @throws IllegalStateException if the request was answered already, the connection has ended, or the completion
     *     queue is closed
     * @throws IllegalArgumentException if the options name an object of another transport
     */
    void accept(ConnectOptions options, QueuePairHandler handler);

    /**
     * Rejects the connection with private data for the peer's upper layer. Does nothing if the connection has ended.
     *
     * @param privateData at most {@value ConnectOptions#MAX_PRIVATE_DATA_BYTES} bytes
     * @throws IllegalStateException if the request was answered already
     * @throws IllegalArgumentException if the private data is longer; the request can still be answered
     */
    void reject(ByteBuffer privateData);
}
