package org.warpnfs.iwarp.mpa;

/** What an initiator in peer-to-peer mode sends first, to tell that it is ready to receive (RFC 6581 section 9.2). */
public enum RtrKind {
    /** An FPDU without a ULPDU. */
    FPDU,
    /** An RDMA Write of nothing. */
    WRITE,
    /** An RDMA Read of nothing. */
    READ
}
