package org.warpnfs.iwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The parameters that the two ends agreed on while connecting.
 *
 * @param localAddress our address
 * @param remoteAddress the peer's address
 * @param peerPrivateData the private data of the peer's upper layer, without any transport block; read-only
 * @param ird inbound RDMA Reads that we hold for the peer; 0 for none
 * @param ord RDMA Reads that we may have outstanding; 0 for none
 * @param crc whether each FPDU carries a checked CRC32C
 * @param peerReads the limits on RDMA Reads that the peer named, before any negotiation
 * @param revision the revision of the connection protocol; revision 1 does not negotiate limits on RDMA Reads, revision
 *     2 does
 */
public record ConnectionParameters(
        InetSocketAddress localAddress,
        InetSocketAddress remoteAddress,
        ByteBuffer peerPrivateData,
        int ird,
        int ord,
        boolean crc,
        PeerReads peerReads,
        int revision) {
    public ConnectionParameters {
        peerPrivateData = peerPrivateData.asReadOnlyBuffer();
    }

    /** A separate view on each call, so that readers do not move each other's position. */
    @Override
    public ByteBuffer peerPrivateData() {
        return peerPrivateData.duplicate();
    }
}
