package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import java.util.Set;

/**
 * The options of one side of a connection, initiator or responder.
 *
 * @param privateData private data for the peer's upper layer; at most 508 bytes fit beside the transport's own block
 * @param ird the most inbound RDMA Reads and atomic operations, together, to hold for the peer, 0..16382; limits of the
 *     transport may lower it
 * @param ord the most RDMA Reads and atomic operations, together, to keep outstanding, 0..16382; limits of the
 *     transport may lower it
 * @param shared the objects that the queue pair shares with others
 * @param extensions the extensions of RFC 7306 that this end accepts from its peer and may post; empty unless the upper
 *     layers of both ends have agreed on them (RFC 7306, section 1.1)
 */
public record ConnectOptions(
        ByteBuffer privateData, int ird, int ord, SharedObjects shared, Set<RdmaExtension> extensions) {
    /**
     * The most private data that fits the MPA frame beside the enhanced block (RFC 5044, section 7.1.1, RFC 6581,
     * section 9).
     */
    public static final int MAX_PRIVATE_DATA_BYTES = 508;

    /** The largest IRD or ORD. The next value, 0x3FFF, means "not negotiated" (RFC 6581, section 9.1). */
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
        extensions = Set.copyOf(extensions);
    }

    /** Creates the options of a queue pair that shares nothing. */
    public ConnectOptions(ByteBuffer privateData, int ird, int ord) {
        this(privateData, ird, ord, SharedObjects.NONE, Set.of());
    }

    /** A copy with a protection domain. */
    public ConnectOptions in(ProtectionDomain domain) {
        return with(new SharedObjects(domain, shared.completions(), shared.receives()));
    }

    /** A copy whose completions go to a queue instead of the handler. */
    public ConnectOptions completingTo(CompletionQueue queue) {
        return with(new SharedObjects(shared.domain(), queue, shared.receives()));
    }

    /** A copy with receives from a shared queue. */
    public ConnectOptions receivingFrom(SharedReceiveQueue queue) {
        return with(new SharedObjects(shared.domain(), shared.completions(), queue));
    }

    private ConnectOptions with(SharedObjects objects) {
        return new ConnectOptions(privateData, ird, ord, objects, extensions);
    }

    /** A copy with other limits on RDMA Reads. */
    public ConnectOptions withReads(int inbound, int outstanding) {
        return new ConnectOptions(privateData, inbound, outstanding, shared, extensions);
    }

    /** A copy with these extensions. */
    public ConnectOptions with(RdmaExtension... wanted) {
        return new ConnectOptions(privateData, ird, ord, shared, Set.of(wanted));
    }

    /** A separate view on each call, so that readers do not move each other's position. */
    @Override
    public ByteBuffer privateData() {
        return privateData.duplicate();
    }
}
