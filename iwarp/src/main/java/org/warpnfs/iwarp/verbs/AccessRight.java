package org.warpnfs.iwarp.verbs;

/** What the peer may do with a {@link MemoryRegion} (RFC 5040 §8.1, RFC 5042 §6). */
public enum AccessRight {
    /** The region may be the sink of the peer's RDMA Writes. */
    REMOTE_WRITE,
    /** The region may be the source of the peer's RDMA Reads. */
    REMOTE_READ,
    /** The region may be the sink of our own RDMA Reads: the peer's Read Responses go there. */
    READ_SINK
}
