package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which two startup frames become an {@link MpaAgreement} (RFC 5044 section 7.1, RFC 6581 sections 6 to 9).
 *
 * <pre>
 * subject   request           reply                          result
 * revision  1                 1, without block               IRD and ORD as each side was told by its own upper layer
 *           2, S=0            2, S=0                         the same
 *           2, S=1            2, S=1, with block             as below
 * C         either            1 if asked or required         CRC if either frame has C
 * M         1                 R=1: we send no markers        no connection
 * IRD, ORD  what it offers    ORD no more than its IRD,      the responder's ORD; the smaller of the initiator's ORD and
 *                             IRD no more than its ORD       the responder's IRD
 * A, B C D  RTRs it can send  one of them: Write, FPDU,      that one; none of them: R=1
 *                             Read in this order of liking
 * </pre>
 */
public final class MpaNegotiation {
    private MpaNegotiation() {}

    /** What a responder says, and what follows from it. */
    public record Answer(MpaFrame reply, MpaAgreement agreement) {}

    /** Whether a request asks for nothing that we cannot do; why not, otherwise. */
    public static @Nullable String whyRefused(MpaFrame request) {
        if (request.revision() != MpaFrame.REVISION_1 && request.revision() != MpaFrame.REVISION_2) {
            return "MPA revision " + request.revision();
        }
        if (request.markers()) {
            return "the peer wants markers";
        }
        if (request.hasEnhancedBlock()) {
            EnhancedBlock block = request.enhancedBlock();
            if (block.peerToPeer() && choose(block) == null) {
                return "peer-to-peer mode without any RTR";
            }
        }
        return null;
    }

    /** The most RDMA Reads that the peer holds or keeps outstanding, as a number. */
    public static int peerReads(int announced, int unknown) {
        return announced == EnhancedBlock.NOT_NEGOTIATED ? unknown : announced;
    }

    /**
     * The answer to a request that was not refused.
     *
     * @param ird what we would hold at most
     * @param ord what we would keep outstanding at most
     */
    public static Answer accept(MpaFrame request, CrcPolicy policy, int ird, int ord, ByteBuffer privateData) {
        boolean crc = request.crc() || policy == CrcPolicy.REQUIRED;
        if (!request.enhanced()) {
            MpaFrame reply =
                    new MpaFrame(MpaFrame.Kind.REPLY, false, crc, false, false, request.revision(), privateData);
            return new Answer(reply, new MpaAgreement(crc, ird, ord, null));
        }
        EnhancedBlock asked = request.enhancedBlock();
        RtrKind rtr = asked.peerToPeer() ? choose(asked) : null;
        int heldReads = Math.min(ird, peerReads(asked.ord(), ird));
        if (rtr == RtrKind.READ) {
            heldReads = Math.max(heldReads, 1);
        }
        int ownReads = Math.min(ord, peerReads(asked.ird(), ord));
        EnhancedBlock block = new EnhancedBlock(
                rtr != null, rtr == RtrKind.FPDU, rtr == RtrKind.WRITE, rtr == RtrKind.READ, heldReads, ownReads);
        MpaFrame reply = new MpaFrame(
                MpaFrame.Kind.REPLY, false, crc, false, true, MpaFrame.REVISION_2, block.followedBy(privateData));
        return new Answer(reply, new MpaAgreement(crc, heldReads, ownReads, rtr));
    }

    /** The refusal of a request. */
    public static MpaFrame reject(MpaFrame request, ByteBuffer privateData) {
        int revision = Math.min(Math.max(request.revision(), MpaFrame.REVISION_1), MpaFrame.REVISION_2);
        boolean enhanced = request.enhanced() && revision == MpaFrame.REVISION_2;
        return new MpaFrame(
                MpaFrame.Kind.REPLY,
                false,
                request.crc(),
                true,
                enhanced,
                revision,
                enhanced ? EnhancedBlock.of(0, 0).followedBy(privateData) : privateData);
    }

    private static @Nullable RtrKind choose(EnhancedBlock offered) {
        if (offered.writeRtr()) {
            return RtrKind.WRITE;
        }
        if (offered.fpduRtr()) {
            return RtrKind.FPDU;
        }
        return offered.readRtr() ? RtrKind.READ : null;
    }

    /** The request of an initiator, of revision 2. */
    public static MpaFrame request(CrcPolicy policy, int ird, int ord, boolean peerToPeer, ByteBuffer privateData) {
        EnhancedBlock block = new EnhancedBlock(peerToPeer, peerToPeer, peerToPeer, false, ird, ord);
        return new MpaFrame(
                MpaFrame.Kind.REQUEST,
                false,
                policy == CrcPolicy.REQUIRED,
                false,
                true,
                MpaFrame.REVISION_2,
                block.followedBy(privateData));
    }

    /** What follows from a reply that does not reject. */
    public static MpaAgreement conclude(MpaFrame request, MpaFrame reply) throws MpaViolation {
        EnhancedBlock asked = request.enhancedBlock();
        boolean crc = request.crc() || reply.crc();
        if (reply.markers()) {
            throw new MpaViolation(MpaError.BAD_FRAME, "the peer wants markers (RFC 5044 section 7.1.1)");
        }
        if (reply.revision() != MpaFrame.REVISION_1 && reply.revision() != MpaFrame.REVISION_2) {
            throw new MpaViolation(
                    MpaError.BAD_FRAME, "reply of revision " + reply.revision() + " (RFC 5044 section 7.1.1)");
        }
        if (!reply.enhanced()) {
            if (asked.peerToPeer()) {
                throw new MpaViolation(MpaError.NO_MATCHING_RTR, "reply without a block (RFC 6581 section 9.2)");
            }
            return new MpaAgreement(crc, asked.ird(), asked.ord(), null);
        }
        EnhancedBlock answer = reply.enhancedBlock();
        int peerOrd = peerReads(answer.ord(), asked.ird());
        if (peerOrd > asked.ird()) {
            throw new MpaViolation(
                    MpaError.INSUFFICIENT_IRD,
                    "the peer would read " + peerOrd + " at once, we hold " + asked.ird() + " (RFC 6581 section 9.1)");
        }
        int ord = Math.min(asked.ord(), peerReads(answer.ird(), asked.ord()));
        return new MpaAgreement(crc, asked.ird(), ord, asked.peerToPeer() ? chosen(asked, answer) : null);
    }

    private static RtrKind chosen(EnhancedBlock asked, EnhancedBlock answer) throws MpaViolation {
        if (answer.peerToPeer() && asked.writeRtr() && answer.writeRtr()) {
            return RtrKind.WRITE;
        }
        if (answer.peerToPeer() && asked.fpduRtr() && answer.fpduRtr()) {
            return RtrKind.FPDU;
        }
        throw new MpaViolation(
                MpaError.NO_MATCHING_RTR, "the peer chose no RTR that was offered (RFC 6581 section 9.2)");
    }
}
