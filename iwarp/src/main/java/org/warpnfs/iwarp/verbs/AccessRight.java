package org.warpnfs.iwarp.verbs;

/**
 * The access rights of a {@link MemoryRegion} (RFC 5040, section 8.1, RFC 5042, section 6, RFC 7306, section 9). No
 * right implies another.
 */
public enum AccessRight {
    /** The region may be the sink of the peer's RDMA Writes. */
    REMOTE_WRITE,
    /** The region may be the source of the peer's RDMA Reads. */
    REMOTE_READ,
    /**
     * Our own work may write the region: it may be the sink of our RDMA Reads. Only the responses to those Reads are
     * placed in it.
     */
    LOCAL_WRITE,
    /**
     * Words of the region may be targets of the peer's atomic operations, at addresses that are multiples of eight.
     * Only direct memory can have this right, because the garbage collector moves heap arrays.
     */
    REMOTE_ATOMIC
}
