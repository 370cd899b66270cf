package org.warpnfs.iwarp.mpa;

import java.util.EnumSet;
import java.util.Set;

/**
 * What we ask for and what we support in the startup exchange.
 *
 * @param crcPolicy whether we ask for CRCs
 * @param markers whether we ask the peer to send markers; we always send markers to a peer that asks for them
 * @param peerToPeer whether our requests ask for peer-to-peer startup
 * @param rtrKinds the kinds of RTR that we can send as initiator and accept as responder, in peer-to-peer startup
 * @param revision the highest revision that we support: 1 is RFC 5044, 2 is RFC 6581
 * @param fallBack whether we repeat a request of revision 2 that the peer does not understand as one of revision 1,
 *     over a new connection
 */
public record MpaChoices(
        CrcPolicy crcPolicy,
        boolean markers,
        boolean peerToPeer,
        Set<RtrKind> rtrKinds,
        int revision,
        boolean fallBack) {
    public MpaChoices {
        rtrKinds = Set.copyOf(rtrKinds);
        if (rtrKinds.isEmpty()) {
            throw new IllegalArgumentException("no kind of RTR given, at least one is needed (RFC 6581, section 9.2)");
        }
        if (revision != MpaFrame.REVISION_1 && revision != MpaFrame.REVISION_2) {
            throw new IllegalArgumentException("MPA revision " + revision + " is neither 1 nor 2");
        }
    }

    /** No CRC and no markers unless the peer asks for them, every kind of RTR, revision 2 with fall-back to 1. */
    public static MpaChoices defaults() {
        return new MpaChoices(CrcPolicy.OFF, false, false, EnumSet.allOf(RtrKind.class), MpaFrame.REVISION_2, true);
    }

    /** A copy with another CRC policy. */
    public MpaChoices withCrcPolicy(CrcPolicy policy) {
        return new MpaChoices(policy, markers, peerToPeer, rtrKinds, revision, fallBack);
    }

    /** A copy that asks for markers or does not. */
    public MpaChoices withMarkers(boolean wanted) {
        return new MpaChoices(crcPolicy, wanted, peerToPeer, rtrKinds, revision, fallBack);
    }

    /** A copy that asks for peer-to-peer startup or does not. */
    public MpaChoices withPeerToPeer(boolean wanted) {
        return new MpaChoices(crcPolicy, markers, wanted, rtrKinds, revision, fallBack);
    }

    /** A copy with other kinds of RTR. */
    public MpaChoices withRtrKinds(Set<RtrKind> kinds) {
        return new MpaChoices(crcPolicy, markers, peerToPeer, kinds, revision, fallBack);
    }

    /** A copy with another highest revision and fall-back. */
    public MpaChoices withRevision(int highest, boolean fallBackFromIt) {
        return new MpaChoices(crcPolicy, markers, peerToPeer, rtrKinds, highest, fallBackFromIt);
    }
}
