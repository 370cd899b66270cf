package org.warpnfs.iwarp.mpa;

/**
 * The ready-to-receive indications that an initiator in peer-to-peer mode may send first (RFC 6581, section 9.2), in
 * order of our preference. The first needs nothing of the peer. The last needs room for an RDMA Read.
 */
public enum RtrKind {
    /** A zero-length RDMA Write; control flag C. */
    WRITE,
    /** An FPDU without a ULPDU; control flag B. */
    FPDU,
    /** A zero-length Send; control flag B as well. It uses up an MSN but no receive of the upper layer. */
    SEND,
    /** A zero-length RDMA Read; control flag D. */
    READ
}
