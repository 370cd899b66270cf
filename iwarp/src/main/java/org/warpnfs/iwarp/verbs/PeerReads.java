package org.warpnfs.iwarp.verbs;

import java.util.OptionalInt;

/**
 * The limits on RDMA Reads that a peer named while connecting (RFC 6581, section 9.1).
 *
 * @param ird inbound RDMA Reads that the peer can hold; empty if it named no number
 * @param ord RDMA Reads that the peer would keep outstanding; empty if it named no number
 */
public record PeerReads(OptionalInt ird, OptionalInt ord) {
    /** The limits of a peer that named no number. */
    public static final PeerReads NONE = new PeerReads(OptionalInt.empty(), OptionalInt.empty());
}
