package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;

/**
 * A peer's rejection of a connection.
 *
 * @param privateData the private data of the peer's upper layer, read-only; may be empty
 * @param peerReads the limits on RDMA Reads that the peer named
 */
public record Rejection(ByteBuffer privateData, PeerReads peerReads) {
    public Rejection {
        privateData = privateData.asReadOnlyBuffer();
    }

    /** A separate view on each call, so that readers do not move each other's position. */
    @Override
    public ByteBuffer privateData() {
        return privateData.duplicate();
    }
}
