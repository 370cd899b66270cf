package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;

/**
 * What one side brings to a connection, as initiator or as responder.
 *
 * @param privateData for the peer's upper layer; at most 508 bytes fit beside the transport's own block
 * @param ird the most inbound RDMA Reads to hold for the peer, 0..16382
 * @param ord the most RDMA Reads to keep outstanding, 0..16382
 */
public record ConnectOptions(ByteBuffer privateData, int ird, int ord) {
    /** The most private data that the MPA frame holds beside the enhanced block (RFC 5044 §7.1.1, RFC 6581 §9). */
    public static final int MAX_PRIVATE_DATA_BYTES = 508;

    /** The largest IRD or ORD that is a number: 0x3FFF means "not negotiated" (RFC 6581 §9.1). */
    public static final int MAX_READS = 0x3FFE;

    public ConnectOptions {
        if (privateData.remaining() > MAX_PRIVATE_DATA_BYTES) {
            throw new IllegalArgumentException(
                    "private data of " + privateData.remaining() + " bytes, limit " + MAX_PRIVATE_DATA_BYTES);
        }
        if (ird < 0 || ird > MAX_READS || ord < 0 || ord > MAX_READS) {
            throw new IllegalArgumentException("ird " + ird + " or ord " + ord + " is not within 0.." + MAX_READS);
        }
        privateData = privateData.asReadOnlyBuffer();
    }

    /** A view of its own, so that readers do not move each other's position. */
    @Override
    public ByteBuffer privateData() {
        return privateData.duplicate();
    }
}
