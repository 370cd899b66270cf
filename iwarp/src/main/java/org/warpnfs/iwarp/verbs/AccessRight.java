package org.warpnfs.iwarp.verbs;

/**
 * What may be done with a {@link MemoryRegion} (RFC 5040, section 8.1, RFC 5042, section 6, RFC 7306, section 9). No
 * right implies another.
 */
public enum AccessRight {
    /** The region may be the sink of the peer's RDMA Writes. */
    REMOTE_WRITE,
    /** The region may be the source of the peer's RDMA Reads. */
    REMOTE_READ,
    /**
     * Our own work may write the region: it may be the sink of our RDMA Reads, and nothing but their answers goes
     * there.
     */
    LOCAL_WRITE,
    /**
     * Words of the region, at addresses that are multiples of eight, may be targets of the peer's atomic operations.
     * Only direct memory can have it: that of a heap array moves.
     */
    REMOTE_ATOMIC
}
