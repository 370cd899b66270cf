package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The rules by which two startup frames become an {@link MpaAgreement} (RFC 5044, section 7.1, RFC 6581, sections 6 to
 * 10).
 *
 * <pre>
 * subject   request           reply                          result
 * revision  1                 1, without block               IRD and ORD as each side was told by its own upper layer
 *           2, S=0            2, S=0                         the same
 *           2, S=1            2, S=1, with block             as below
 *           2, S=1            none, or without block         the request was not understood: again, with revision 1
 *           other             none: the connection is closed
 * M         the initiator     the responder wants markers    markers in what the other sends: each direction by itself
 *           wants markers
 * C         either            see {@link CrcPolicy}          CRC both ways if either frame has C
 * IRD, ORD  what it offers    ORD no more than its IRD,      the responder's ORD; the smaller of the initiator's
 *                             IRD no more than its ORD       ORD and the responder's IRD
 *           0x3fff            0x3fff for the other           as each side was told by its own upper layer
 * A, B C D  RTRs it can send  those of them that we take;    the initiator sends one that both named, if there is
 *                             if there are none all that we  none a Terminate
 *                             take
 * </pre>
 */
public final class MpaNegotiation {
    private MpaNegotiation() {}

    /** The reply of a responder, and the agreement that it results in. */
    public record Answer(MpaFrame reply, MpaAgreement agreement) {}

    /** An RDMA Read limit of a frame: {@code announced} if that is a number, else {@code unknown}. */
    public static int peerReads(int announced, int unknown) {
        return announced == EnhancedBlock.NOT_NEGOTIATED ? unknown : announced;
    }

    /**
     * Refuses a peer whose revision we do not support. Such a peer gets no reply, and the connection is closed (RFC
     * 5044, section 7.1.1).
     */
    public static void checkRevision(MpaFrame frame, MpaChoices choices) throws MpaViolation {
        if (frame.revision() < MpaFrame.REVISION_1 || frame.revision() > choices.revision()) {
            throw new MpaViolation(
                    MpaError.BAD_FRAME,
                    "MPA revision " + frame.revision() + ", known are 1 to " + choices.revision()
                            + " (RFC 5044, section 7.1.1)");
        }
    }

    /**
     * The answer to a request whose revision has been checked.
     *
     * @param ird the most Reads of the peer that we have room for
     * @param ord the most Reads of ours that we would have outstanding
     */
    public static Answer accept(MpaFrame request, MpaChoices choices, int ird, int ord, ByteBuffer privateData) {
        boolean crc = choices.crcPolicy().inReply(request.crc());
        MpaAgreement.Framing framing = new MpaAgreement.Framing(crc, request.markers(), choices.markers());
        if (!request.enhanced()) {
            MpaFrame reply = new MpaFrame(
                    MpaFrame.Kind.REPLY, choices.markers(), crc, false, false, request.revision(), privateData);
            return new Answer(reply, new MpaAgreement(request.revision(), framing, notNegotiated(ird, ord), Set.of()));
        }
        EnhancedBlock asked = request.enhancedBlock();
        Set<RtrKind> rtrKinds = asked.peerToPeer() ? common(asked.rtrKinds(), choices.rtrKinds(), ird) : Set.of();
        int heldReads = Math.min(ird, peerReads(asked.ord(), ird));
        if (rtrKinds.contains(RtrKind.READ)) {
            heldReads = Math.max(heldReads, 1);
        }
        int ownReads = Math.min(ord, peerReads(asked.ird(), ord));
        int repliedIrd = asked.ordIfNamed().isPresent() ? heldReads : EnhancedBlock.NOT_NEGOTIATED;
        int repliedOrd = asked.irdIfNamed().isPresent() ? ownReads : EnhancedBlock.NOT_NEGOTIATED;
        EnhancedBlock block = asked.peerToPeer()
                ? EnhancedBlock.peerToPeer(rtrKinds, repliedIrd, repliedOrd)
                : EnhancedBlock.of(repliedIrd, repliedOrd);
        MpaFrame reply = new MpaFrame(
                MpaFrame.Kind.REPLY,
                choices.markers(),
                crc,
                false,
                true,
                MpaFrame.REVISION_2,
                block.followedBy(privateData));
        MpaAgreement.Reads reads = new MpaAgreement.Reads(heldReads, ownReads, asked.irdIfNamed(), asked.ordIfNamed());
        return new Answer(reply, new MpaAgreement(MpaFrame.REVISION_2, framing, reads, rtrKinds));
    }

    /**
     * The kinds of RTR that we name in a reply. An RDMA Read occupies one entry of the IRD, so a responder with an IRD
     * of 0 names it only if no other kind is left. If there is no common kind, we name all of ours, and the initiator
     * ends the connection (RFC 6581, section 9.2).
     */
    private static Set<RtrKind> common(Set<RtrKind> offered, Set<RtrKind> ours, int ird) {
        Set<RtrKind> common = EnumSet.noneOf(RtrKind.class);
        common.addAll(offered.isEmpty() ? ours : offered);
        common.retainAll(ours);
        if (common.isEmpty()) {
            common.addAll(ours);
        }
        if (ird == 0 && common.size() > 1) {
            common.remove(RtrKind.READ);
        }
        return common;
    }

    /** The rejection of a request whose revision has been checked. */
    public static MpaFrame reject(MpaFrame request, ByteBuffer privateData) {
        return new MpaFrame(
                MpaFrame.Kind.REPLY,
                false,
                request.crc(),
                true,
                request.enhanced(),
                request.revision(),
                request.enhanced() ? EnhancedBlock.of(0, 0).followedBy(privateData) : privateData);
    }

    /** The request of an initiator, in the revision that it chose. */
    public static MpaFrame request(MpaChoices choices, int ird, int ord, ByteBuffer privateData) {
        boolean enhanced = choices.revision() == MpaFrame.REVISION_2;
        EnhancedBlock block = choices.peerToPeer()
                ? EnhancedBlock.peerToPeer(choices.rtrKinds(), ird, ord)
                : EnhancedBlock.of(ird, ord);
        return new MpaFrame(
                MpaFrame.Kind.REQUEST,
                choices.markers(),
                choices.crcPolicy().inRequest(),
                false,
                enhanced,
                choices.revision(),
                enhanced ? block.followedBy(privateData) : privateData);
    }

    /**
     * Whether the peer understood our request. A peer that does not know revision 2 should close the connection (RFC
     * 6581, section 10). If it answers instead, it has passed our block to its upper layer as private data.
     */
    public static boolean understood(MpaFrame request, MpaFrame reply) {
        return !request.enhanced() || reply.enhanced() || (reply.rejected() && reply.revision() >= request.revision());
    }

    /**
     * The framing that a request and its reply lead to, seen from the initiator. It also holds for the Terminate that
     * is sent if the rest of the reply is not acceptable.
     */
    public static MpaAgreement.Framing framing(MpaFrame request, MpaFrame reply) {
        return new MpaAgreement.Framing(request.crc() || reply.crc(), reply.markers(), request.markers());
    }

    /**
     * The agreement that follows from a reply that is no rejection.
     *
     * @param ird how many Reads of the peer we have room for
     * @param ord the most Reads of ours that we would have outstanding
     */
    public static MpaAgreement conclude(MpaFrame request, MpaFrame reply, MpaChoices choices, int ird, int ord)
            throws MpaViolation {
        checkRevision(reply, choices);
        MpaAgreement.Framing framing = framing(request, reply);
        if (!reply.enhanced()) {
            return new MpaAgreement(
                    reply.revision(), framing, notNegotiated(ird, ord), unnegotiatedRtr(choices, request));
        }
        if (!request.enhanced()) {
            throw new MpaViolation(
                    MpaError.BAD_FRAME, "an enhanced reply to a request that was not enhanced (RFC 6581, section 10)");
        }
        EnhancedBlock answer = reply.enhancedBlock();
        int peerOrd = peerReads(answer.ord(), ird);
        if (peerOrd > ird) {
            throw new MpaViolation(
                    MpaError.INSUFFICIENT_IRD,
                    "the peer's ORD of " + peerOrd + " exceeds our IRD of " + ird + " (RFC 6581, section 9.1)");
        }
        MpaAgreement.Reads reads = new MpaAgreement.Reads(
                ird, Math.min(ord, peerReads(answer.ird(), ord)), answer.irdIfNamed(), answer.ordIfNamed());
        Set<RtrKind> rtr = choices.peerToPeer() ? Set.of(chosen(choices, answer)) : Set.of();
        return new MpaAgreement(reply.revision(), framing, reads, rtr);
    }

    private static MpaAgreement.Reads notNegotiated(int ird, int ord) {
        return new MpaAgreement.Reads(ird, ord, OptionalInt.empty(), OptionalInt.empty());
    }

    /**
     * The RTR to send when none was negotiated, as in revision 1. A zero-length RDMA Write works there, because every
     * peer accepts it as the first message that it waits for.
     */
    private static Set<RtrKind> unnegotiatedRtr(MpaChoices choices, MpaFrame request) throws MpaViolation {
        if (!choices.peerToPeer()) {
            return Set.of();
        }
        if (request.enhanced() || !choices.rtrKinds().contains(RtrKind.WRITE)) {
            throw new MpaViolation(MpaError.NO_MATCHING_RTR, "reply without a block (RFC 6581, section 9.2)");
        }
        return Set.of(RtrKind.WRITE);
    }

    private static RtrKind chosen(MpaChoices choices, EnhancedBlock answer) throws MpaViolation {
        Set<RtrKind> named = answer.rtrKinds();
        for (RtrKind kind : RtrKind.values()) {
            // A peer with an IRD of 0 cannot take an RDMA Read, even if it names it.
            boolean possible = kind != RtrKind.READ || answer.ird() > 0;
            if (named.contains(kind) && choices.rtrKinds().contains(kind) && possible) {
                return kind;
            }
        }
        throw new MpaViolation(
                MpaError.NO_MATCHING_RTR, "the peer named no RTR that was offered (RFC 6581, section 9.2)");
    }
}
