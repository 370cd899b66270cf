package org.warpnfs.iwarp.verbs;

import java.util.OptionalInt;

/**
 * The limits on RDMA Reads that a peer named while connecting (RFC 6581, section 9.1).
 *
 * @param ird inbound RDMA Reads that it can hold; empty if it named no number
 * @param ord RDMA Reads that it would keep outstanding; empty if it named no number
 */
public record PeerReads(OptionalInt ird, OptionalInt ord) {
    /** Of a peer that named none. */
    public static final PeerReads NONE = new PeerReads(OptionalInt.empty(), OptionalInt.empty());
}
