package org.warpnfs.iwarp.mpa;

import java.util.OptionalInt;
import java.util.Set;

/**
 * What the two startup frames settled.
 *
 * @param revision 1 or 2
 * @param framing how FPDUs look in both directions
 * @param reads limits on RDMA Reads
 * @param rtrKinds in peer-to-peer mode, as initiator the one that we send, as responder those that may open the stream;
 *     empty outside of it
 */
public record MpaAgreement(int revision, Framing framing, Reads reads, Set<RtrKind> rtrKinds) {
    public MpaAgreement {
        rtrKinds = Set.copyOf(rtrKinds);
    }

    /**
     * How FPDUs look.
     *
     * @param crc whether CRCs are sent and checked
     * @param sendMarkers whether we insert markers
     * @param receiveMarkers whether the peer does
     */
    public record Framing(boolean crc, boolean sendMarkers, boolean receiveMarkers) {
        /** Neither CRCs nor markers. */
        public static final Framing PLAIN = new Framing(false, false, false);
    }

    /**
     * Limits on RDMA Reads.
     *
     * @param ird how many we hold for the peer
     * @param ord how many we may have outstanding
     * @param peerIrd what the peer named as its IRD, if it named a number
     * @param peerOrd what the peer named as its ORD, if it named a number
     */
    public record Reads(int ird, int ord, OptionalInt peerIrd, OptionalInt peerOrd) {}
}
