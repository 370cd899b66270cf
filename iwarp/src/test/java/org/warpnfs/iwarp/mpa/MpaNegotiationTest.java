package org.warpnfs.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.testkit.Capture;

class MpaNegotiationTest {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private static MpaFrame request(boolean crc, EnhancedBlock block) {
        return new MpaFrame(MpaFrame.Kind.REQUEST, false, crc, false, true, 2, block.followedBy(NOTHING));
    }

    private static MpaFrame reply(boolean crc, EnhancedBlock block) {
        return new MpaFrame(MpaFrame.Kind.REPLY, false, crc, false, true, 2, block.followedBy(NOTHING));
    }

    @Test
    void accept_requestOfTheLinuxNfsClient_repliesWhatLinuxCanUse() throws MpaViolation {
        MpaFrame request = new MpaFrameReader(MpaFrame.Kind.REQUEST)
                .read(Capture.load("knfsd-v4.1").connectionTo(20049).fromInitiator());
        assertThat(MpaNegotiation.whyRefused(request)).isNull();
        MpaNegotiation.Answer answer =
                MpaNegotiation.accept(request, CrcPolicy.WHEN_ASKED, 0, 16, Hex.bytes("f6ab0e1801000303"));
        ByteBuffer out = ByteBuffer.allocate(answer.reply().lengthBytes());
        answer.reply().encode(out);
        assertThat(Hex.of(out.flip()))
                .isEqualTo("4d504120494420526570204672616d65" + "1002000c" + "00000010" + "f6ab0e1801000303");
        assertThat(answer.agreement()).isEqualTo(new MpaAgreement(false, 0, 16, null));
    }

    @ParameterizedTest
    @CsvSource({"false, WHEN_ASKED, false", "true, WHEN_ASKED, true", "false, REQUIRED, true", "true, REQUIRED, true"})
    void accept_crc_isOnIfEitherAsks(boolean asked, CrcPolicy policy, boolean on) throws MpaViolation {
        MpaFrame request = request(asked, EnhancedBlock.of(1, 1));
        MpaNegotiation.Answer answer = MpaNegotiation.accept(request, policy, 1, 1, NOTHING);
        assertThat(answer.reply().crc()).isEqualTo(on);
        assertThat(answer.agreement().crc()).isEqualTo(on);
        MpaFrame ours = MpaNegotiation.request(policy, 1, 1, false, NOTHING);
        assertThat(MpaNegotiation.conclude(ours, reply(asked, EnhancedBlock.of(1, 1)))
                        .crc())
                .isEqualTo(on);
    }

    @ParameterizedTest
    @CsvSource({
        // their IRD and ORD, ours, what is agreed on
        "128, 0, 4, 16, 0, 16",
        "8, 4, 4, 16, 4, 8",
        "0, 9, 4, 16, 4, 0",
        "16383, 16383, 4, 16, 4, 16",
        "16382, 16382, 0, 0, 0, 0"
    })
    void accept_readLimits_fitBothSides(int theirIrd, int theirOrd, int ird, int ord, int agreedIrd, int agreedOrd) {
        MpaNegotiation.Answer answer = MpaNegotiation.accept(
                request(false, EnhancedBlock.of(theirIrd, theirOrd)), CrcPolicy.WHEN_ASKED, ird, ord, NOTHING);
        assertThat(answer.agreement()).isEqualTo(new MpaAgreement(false, agreedIrd, agreedOrd, null));
        assertThat(answer.reply().enhancedBlock()).isEqualTo(EnhancedBlock.of(agreedIrd, agreedOrd));
    }

    @Test
    void accept_revision1_repliesInKindWithoutABlock() {
        MpaFrame request = new MpaFrame(MpaFrame.Kind.REQUEST, false, true, false, false, 1, NOTHING);
        MpaNegotiation.Answer answer =
                MpaNegotiation.accept(request, CrcPolicy.WHEN_ASKED, 3, 5, Hex.bytes("01020304"));
        assertThat(answer.reply().revision()).isEqualTo(1);
        assertThat(answer.reply().enhanced()).isFalse();
        assertThat(Hex.of(answer.reply().privateData())).isEqualTo("01020304");
        assertThat(answer.agreement()).isEqualTo(new MpaAgreement(true, 3, 5, null));
    }

    @ParameterizedTest
    @CsvSource({
        "true, true, true, WRITE",
        "true, false, true, FPDU",
        "false, true, true, WRITE",
        "false, false, true, READ",
        "true, false, false, FPDU"
    })
    void accept_peerToPeer_choosesOneOfWhatIsOffered(boolean fpdu, boolean write, boolean read, RtrKind chosen) {
        EnhancedBlock offered = new EnhancedBlock(true, fpdu, write, read, 1, 1);
        MpaNegotiation.Answer answer =
                MpaNegotiation.accept(request(false, offered), CrcPolicy.WHEN_ASKED, 0, 0, NOTHING);
        assertThat(answer.agreement().rtr()).isEqualTo(chosen);
        EnhancedBlock block = answer.reply().enhancedBlock();
        assertThat(block.peerToPeer()).isTrue();
        assertThat(block.fpduRtr()).isEqualTo(chosen == RtrKind.FPDU);
        assertThat(block.writeRtr()).isEqualTo(chosen == RtrKind.WRITE);
        assertThat(block.readRtr()).isEqualTo(chosen == RtrKind.READ);
        // A Read as RTR needs room for one Read.
        assertThat(answer.agreement().ird()).isEqualTo(chosen == RtrKind.READ ? 1 : 0);
    }

    @Test
    void whyRefused_whatWeCannotDo_isNamed() {
        assertThat(MpaNegotiation.whyRefused(
                        new MpaFrame(MpaFrame.Kind.REQUEST, true, false, false, false, 1, NOTHING)))
                .contains("markers");
        assertThat(MpaNegotiation.whyRefused(
                        new MpaFrame(MpaFrame.Kind.REQUEST, false, false, false, false, 3, NOTHING)))
                .contains("revision 3");
        assertThat(MpaNegotiation.whyRefused(
                        new MpaFrame(MpaFrame.Kind.REQUEST, false, false, false, false, 0, NOTHING)))
                .contains("revision 0");
        assertThat(MpaNegotiation.whyRefused(request(false, new EnhancedBlock(true, false, false, false, 1, 1))))
                .contains("RTR");
    }

    @Test
    void reject_enhancedRequest_keepsTheUpperLayersBytesBehindABlock() {
        MpaFrame reply = MpaNegotiation.reject(request(false, EnhancedBlock.of(1, 1)), Hex.bytes("aabb"));
        assertThat(reply.rejected()).isTrue();
        assertThat(Hex.of(reply.privateData())).isEqualTo("00000000aabb");
        assertThat(Hex.of(reply.upperLayerPrivateData())).isEqualTo("aabb");
    }

    @Test
    void conclude_peerWouldReadMoreThanWeHold_isInsufficientIrd() {
        MpaFrame ours = MpaNegotiation.request(CrcPolicy.WHEN_ASKED, 4, 4, false, NOTHING);
        assertThatThrownBy(() -> MpaNegotiation.conclude(ours, reply(false, EnhancedBlock.of(4, 5))))
                .isInstanceOfSatisfying(
                        MpaViolation.class, v -> assertThat(v.error()).isEqualTo(MpaError.INSUFFICIENT_IRD));
    }

    @Test
    void conclude_peerHoldsFewerThanWeWouldRead_lowersOurs() throws MpaViolation {
        MpaFrame ours = MpaNegotiation.request(CrcPolicy.WHEN_ASKED, 4, 9, false, NOTHING);
        assertThat(MpaNegotiation.conclude(ours, reply(false, EnhancedBlock.of(2, 1))))
                .isEqualTo(new MpaAgreement(false, 4, 2, null));
    }

    @Test
    void conclude_peerToPeerWithoutAChoice_isNoMatchingRtr() {
        MpaFrame ours = MpaNegotiation.request(CrcPolicy.WHEN_ASKED, 1, 1, true, NOTHING);
        for (EnhancedBlock block : new EnhancedBlock[] {
            EnhancedBlock.of(1, 1),
            new EnhancedBlock(true, false, false, false, 1, 1),
            new EnhancedBlock(true, false, false, true, 1, 1)
        }) {
            assertThatThrownBy(() -> MpaNegotiation.conclude(ours, reply(false, block)))
                    .isInstanceOfSatisfying(
                            MpaViolation.class, v -> assertThat(v.error()).isEqualTo(MpaError.NO_MATCHING_RTR));
        }
    }

    @Test
    void conclude_replyOfSiwInPeerToPeerMode_isAWrite() throws MpaViolation {
        MpaFrame reply = new MpaFrameReader(MpaFrame.Kind.REPLY)
                .read(Capture.load("p2p").connectionTo(20049).fromResponder());
        MpaFrame ours = MpaNegotiation.request(CrcPolicy.WHEN_ASKED, 128, 1, true, NOTHING);
        assertThat(MpaNegotiation.conclude(ours, reply)).isEqualTo(new MpaAgreement(false, 128, 1, RtrKind.WRITE));
    }
}
