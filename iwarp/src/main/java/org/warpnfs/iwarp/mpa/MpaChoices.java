package org.warpnfs.iwarp.mpa;

import java.util.EnumSet;
import java.util.Set;

/**
 * What we ask for, and what we can do, in the startup exchange.
 *
 * @param crcPolicy whether we ask for CRCs
 * @param markers whether we ask the peer for markers in what it sends; what it asks of us it gets in any case
 * @param peerToPeer whether our requests ask for peer-to-peer startup
 * @param rtrKinds what we may send as initiator, and take as responder, in peer-to-peer startup
 * @param revision the highest that we speak: 1 is RFC 5044, 2 is RFC 6581
 * @param fallBack whether a request of revision 2 that the peer does not understand is followed by one of revision 1,
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
            throw new IllegalArgumentException("one kind of RTR is the least (RFC 6581, section 9.2)");
        }
        if (revision != MpaFrame.REVISION_1 && revision != MpaFrame.REVISION_2) {
            throw new IllegalArgumentException("MPA revision " + revision + " is neither 1 nor 2");
        }
    }

    /** No CRC and no markers unless asked for, every kind of RTR, revision 2 and then 1. */
    public static MpaChoices defaults() {
        return new MpaChoices(CrcPolicy.OFF, false, false, EnumSet.allOf(RtrKind.class), MpaFrame.REVISION_2, true);
    }

    /** These, with another CRC policy. */
    public MpaChoices withCrcPolicy(CrcPolicy policy) {
        return new MpaChoices(policy, markers, peerToPeer, rtrKinds, revision, fallBack);
    }

    /** These, with another wish about markers. */
    public MpaChoices withMarkers(boolean wanted) {
        return new MpaChoices(crcPolicy, wanted, peerToPeer, rtrKinds, revision, fallBack);
    }

    /** These, with another choice of peer-to-peer startup. */
    public MpaChoices withPeerToPeer(boolean wanted) {
        return new MpaChoices(crcPolicy, markers, wanted, rtrKinds, revision, fallBack);
    }

    /** These, with other kinds of RTR. */
    public MpaChoices withRtrKinds(Set<RtrKind> kinds) {
        return new MpaChoices(crcPolicy, markers, peerToPeer, kinds, revision, fallBack);
    }

    /** These, with other revisions. */
    public MpaChoices withRevision(int highest, boolean fallBackFromIt) {
        return new MpaChoices(crcPolicy, markers, peerToPeer, rtrKinds, highest, fallBackFromIt);
    }
}
