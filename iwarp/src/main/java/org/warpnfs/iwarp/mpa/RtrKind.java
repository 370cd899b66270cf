package org.warpnfs.iwarp.mpa;

/**
 * What an initiator in peer-to-peer mode sends first, to tell that it is ready to receive (RFC 6581, section 9.2), in
 * the order in which we like them: the first needs nothing of the peer, the last needs room for an RDMA Read.
 */
public enum RtrKind {
    /** An RDMA Write of nothing; control flag C. */
    WRITE,
    /** An FPDU without a ULPDU; control flag B. */
    FPDU,
    /** A Send of nothing, which spends an MSN but no receive of the upper layer's; control flag B as well. */
    SEND,
    /** An RDMA Read of nothing; control flag D. */
    READ
}
