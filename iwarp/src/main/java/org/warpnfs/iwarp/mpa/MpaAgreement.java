package org.warpnfs.iwarp.mpa;

import java.util.OptionalInt;
import java.util.Set;

/**
 * The result of the two startup frames.
 *
 * @param revision 1 or 2
 * @param framing the framing of both directions
 * @param reads limits on RDMA Reads
 * @param rtrKinds in peer-to-peer mode, the one kind that we send as initiator, or the kinds that may open the stream
 *     as responder; empty outside of that mode
 */
public record MpaAgreement(int revision, Framing framing, Reads reads, Set<RtrKind> rtrKinds) {
    public MpaAgreement {
        rtrKinds = Set.copyOf(rtrKinds);
    }

    /**
     * The framing of FPDUs in both directions.
     *
     * @param crc whether CRCs are sent and checked
     * @param sendMarkers whether we insert markers
     * @param receiveMarkers whether the peer inserts markers
     */
    public record Framing(boolean crc, boolean sendMarkers, boolean receiveMarkers) {
        /** Neither CRCs nor markers. */
        public static final Framing PLAIN = new Framing(false, false, false);
    }

    /**
     * Limits on RDMA Reads.
     *
     * @param ird how many Reads of the peer we have room for
     * @param ord how many Reads of ours may be outstanding
     * @param peerIrd the IRD that the peer named, if it named a number
     * @param peerOrd the ORD that the peer named, if it named a number
     */
    public record Reads(int ird, int ord, OptionalInt peerIrd, OptionalInt peerOrd) {}
}
