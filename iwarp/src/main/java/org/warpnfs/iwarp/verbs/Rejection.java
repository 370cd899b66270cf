package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;

/**
 * What a peer said when it refused to connect.
 *
 * @param privateData its upper layer's words, read-only; may be empty
 * @param peerReads the limits on RDMA Reads that it named
 */
public record Rejection(ByteBuffer privateData, PeerReads peerReads) {
    public Rejection {
        privateData = privateData.asReadOnlyBuffer();
    }

    /** A view of its own, so that readers do not move each other's position. */
    @Override
    public ByteBuffer privateData() {
        return privateData.duplicate();
    }
}
