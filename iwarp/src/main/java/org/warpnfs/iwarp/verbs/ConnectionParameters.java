package org.warpnfs.iwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * What the two ends agreed on while connecting.
 *
 * @param localAddress ours
 * @param remoteAddress the peer's
 * @param peerPrivateData what the peer's upper layer said while connecting, without any transport block; read-only
 * @param ird inbound RDMA Reads that we hold for the peer, 0 for none
 * @param ord RDMA Reads that we may have outstanding, 0 for none
 * @param crc whether each FPDU carries a checked CRC32C
 * @param peerReads the limits on RDMA Reads that the peer named, whatever became of them
 * @param revision of the connection protocol that both ends speak: 1 knows no limits on RDMA Reads, 2 does
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

    /** A view of its own, so that readers do not move each other's position. */
    @Override
    public ByteBuffer peerPrivateData() {
        return peerPrivateData.duplicate();
    }
}
