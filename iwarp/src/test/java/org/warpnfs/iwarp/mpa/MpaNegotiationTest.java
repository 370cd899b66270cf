package org.warpnfs.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.testkit.Capture;

/** The table of {@link MpaNegotiation}, row by row, in both roles. */
class MpaNegotiationTest {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final MpaChoices CHOICES = MpaChoices.defaults();
    private static final MpaAgreement.Framing PLAIN = MpaAgreement.Framing.PLAIN;
    private static final int NONE = EnhancedBlock.NOT_NEGOTIATED;

    private static MpaFrame request(boolean crc, EnhancedBlock block) {
        return new MpaFrame(MpaFrame.Kind.REQUEST, false, crc, false, true, 2, block.followedBy(NOTHING));
    }

    private static MpaFrame reply(boolean crc, EnhancedBlock block) {
        return new MpaFrame(MpaFrame.Kind.REPLY, false, crc, false, true, 2, block.followedBy(NOTHING));
    }

    private static MpaFrame unenhanced(MpaFrame.Kind kind, int revision, boolean rejected) {
        return new MpaFrame(kind, false, false, rejected, false, revision, NOTHING);
    }

    private static OptionalInt named(int number) {
        return number == NONE ? OptionalInt.empty() : OptionalInt.of(number);
    }

    private static Set<RtrKind> kinds(String names) {
        return Arrays.stream(names.split(" "))
                .filter(name -> !name.isEmpty())
                .map(RtrKind::valueOf)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(RtrKind.class)));
    }

    private static MpaAgreement conclude(MpaChoices choices, MpaFrame reply, int ird, int ord) throws MpaViolation {
        return MpaNegotiation.conclude(MpaNegotiation.request(choices, ird, ord, NOTHING), reply, choices, ird, ord);
    }

    private static void assertError(MpaError error, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(MpaViolation.class, v -> assertThat(v.error())
                .isEqualTo(error));
    }

    @Test
    void accept_requestOfTheLinuxNfsClient_repliesWhatLinuxCanUse() throws MpaViolation {
        MpaFrame request = new MpaFrameReader(MpaFrame.Kind.REQUEST)
                .read(Capture.load("knfsd-v4.1").connectionTo(20049).fromInitiator());
        MpaNegotiation.checkRevision(request, CHOICES);
        MpaNegotiation.Answer answer = MpaNegotiation.accept(request, CHOICES, 0, 16, Hex.bytes("f6ab0e1801000303"));
        ByteBuffer out = ByteBuffer.allocate(answer.reply().lengthBytes());
        answer.reply().encode(out);
        assertThat(Hex.of(out.flip()))
                .isEqualTo("4d504120494420526570204672616d65" + "1002000c" + "00000010" + "f6ab0e1801000303");
        assertThat(answer.agreement())
                .isEqualTo(new MpaAgreement(2, PLAIN, new MpaAgreement.Reads(0, 16, named(128), named(0)), Set.of()));
    }

    @ParameterizedTest
    @CsvSource({
        // policy, the initiator's C, the responder's C, in use
        "REQUIRED, false, true, true",
        "REQUIRED, true, true, true",
        "PREFERRED, false, false, false",
        "PREFERRED, true, true, true",
        "OFF, false, false, false",
        "OFF, true, true, true"
    })
    void accept_crcPolicy_decidesTheReplyAndEitherSideTurnsItOn(
            CrcPolicy policy, boolean asked, boolean answered, boolean on) {
        MpaNegotiation.Answer answer = MpaNegotiation.accept(
                request(asked, EnhancedBlock.of(1, 1)), CHOICES.withCrcPolicy(policy), 1, 1, NOTHING);
        assertThat(answer.reply().crc()).isEqualTo(answered);
        assertThat(answer.agreement().framing().crc()).isEqualTo(on);
    }

    @ParameterizedTest
    @CsvSource({
        "REQUIRED, true, false, true",
        "REQUIRED, true, true, true",
        "PREFERRED, true, false, true",
        "PREFERRED, true, true, true",
        "OFF, false, false, false",
        "OFF, false, true, true"
    })
    void conclude_crcPolicy_decidesTheRequestAndEitherSideTurnsItOn(
            CrcPolicy policy, boolean asks, boolean answered, boolean on) throws MpaViolation {
        MpaChoices choices = CHOICES.withCrcPolicy(policy);
        assertThat(MpaNegotiation.request(choices, 1, 1, NOTHING).crc()).isEqualTo(asks);
        assertThat(conclude(choices, reply(answered, EnhancedBlock.of(1, 1)), 1, 1)
                        .framing()
                        .crc())
                .isEqualTo(on);
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void acceptAndConclude_markers_areSettledForEachDirectionByItself(boolean initiatorWants, boolean responderWants)
            throws MpaViolation {
        MpaFrame request = MpaNegotiation.request(CHOICES.withMarkers(initiatorWants), 1, 1, NOTHING);
        MpaNegotiation.Answer answer =
                MpaNegotiation.accept(request, CHOICES.withMarkers(responderWants), 1, 1, NOTHING);
        assertThat(request.markers()).isEqualTo(initiatorWants);
        assertThat(answer.reply().markers()).isEqualTo(responderWants);
        assertThat(answer.agreement().framing())
                .isEqualTo(new MpaAgreement.Framing(false, initiatorWants, responderWants));
        assertThat(conclude(CHOICES.withMarkers(initiatorWants), answer.reply(), 1, 1)
                        .framing())
                .isEqualTo(new MpaAgreement.Framing(false, responderWants, initiatorWants));
    }

    @ParameterizedTest
    @CsvSource({
        // their IRD and ORD; ours; what the reply says; what holds here
        "128, 0, 4, 16, 0, 16, 0, 16",
        "8, 4, 4, 16, 4, 8, 4, 8",
        "16, 4, 4, 16, 4, 16, 4, 16",
        "17, 3, 4, 16, 3, 16, 3, 16",
        "1, 1, 1, 1, 1, 1, 1, 1",
        "0, 9, 4, 16, 4, 0, 4, 0",
        "0, 0, 4, 16, 0, 0, 0, 0",
        "9, 9, 0, 0, 0, 0, 0, 0",
        "16382, 16382, 16382, 16382, 16382, 16382, 16382, 16382",
        "16382, 16382, 0, 0, 0, 0, 0, 0",
        "16383, 16383, 4, 16, 16383, 16383, 4, 16",
        "16383, 2, 4, 16, 2, 16383, 2, 16",
        "8, 16383, 4, 16, 16383, 8, 4, 8",
        "16383, 16383, 0, 0, 16383, 16383, 0, 0"
    })
    void accept_readLimits_fitBothSides(
            int theirIrd, int theirOrd, int ird, int ord, int saidIrd, int saidOrd, int heldIrd, int heldOrd) {
        MpaNegotiation.Answer answer =
                MpaNegotiation.accept(request(false, EnhancedBlock.of(theirIrd, theirOrd)), CHOICES, ird, ord, NOTHING);
        assertThat(answer.reply().enhancedBlock()).isEqualTo(EnhancedBlock.of(saidIrd, saidOrd));
        assertThat(answer.agreement().reads())
                .isEqualTo(new MpaAgreement.Reads(heldIrd, heldOrd, named(theirIrd), named(theirOrd)));
    }

    @ParameterizedTest
    @CsvSource({
        // our IRD and ORD; the reply's; what holds here
        "4, 4, 4, 4, 4, 4",
        "4, 9, 2, 1, 4, 2",
        "4, 9, 9, 4, 4, 9",
        "4, 9, 20, 3, 4, 9",
        "4, 9, 0, 0, 4, 0",
        "0, 9, 9, 0, 0, 9",
        "0, 0, 9, 0, 0, 0",
        "16382, 16382, 16382, 16382, 16382, 16382",
        "4, 9, 16383, 16383, 4, 9",
        "4, 9, 16383, 1, 4, 9",
        "4, 9, 5, 16383, 4, 5",
        "0, 0, 16383, 16383, 0, 0"
    })
    void conclude_readLimits_areNeverMoreThanThePeerHolds(
            int ird, int ord, int saidIrd, int saidOrd, int heldIrd, int heldOrd) throws MpaViolation {
        MpaFrame reply = reply(false, EnhancedBlock.of(saidIrd, saidOrd));
        assertThat(conclude(CHOICES, reply, ird, ord).reads())
                .isEqualTo(new MpaAgreement.Reads(heldIrd, heldOrd, named(saidIrd), named(saidOrd)));
    }

    @ParameterizedTest
    @CsvSource({"4, 5", "0, 1", "16381, 16382"})
    void conclude_peerWouldReadMoreThanWeHold_isInsufficientIrd(int ird, int saidOrd) {
        assertError(
                MpaError.INSUFFICIENT_IRD, () -> conclude(CHOICES, reply(false, EnhancedBlock.of(4, saidOrd)), ird, 4));
    }

    @Test
    void accept_revision1_repliesInKindWithoutABlock() {
        MpaFrame request = new MpaFrame(MpaFrame.Kind.REQUEST, false, true, false, false, 1, NOTHING);
        MpaNegotiation.Answer answer = MpaNegotiation.accept(request, CHOICES, 3, 5, Hex.bytes("01020304"));
        assertThat(answer.reply().revision()).isEqualTo(1);
        assertThat(answer.reply().enhanced()).isFalse();
        assertThat(Hex.of(answer.reply().privateData())).isEqualTo("01020304");
        assertThat(answer.agreement())
                .isEqualTo(new MpaAgreement(
                        1,
                        new MpaAgreement.Framing(true, false, false),
                        new MpaAgreement.Reads(3, 5, OptionalInt.empty(), OptionalInt.empty()),
                        Set.of()));
    }

    @Test
    void accept_revision2WithoutABlock_repliesInKind() {
        MpaNegotiation.Answer answer =
                MpaNegotiation.accept(unenhanced(MpaFrame.Kind.REQUEST, 2, false), CHOICES, 3, 5, NOTHING);
        assertThat(answer.reply().revision()).isEqualTo(2);
        assertThat(answer.reply().enhanced()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        // offered; ours; our IRD; named in the reply
        "FPDU SEND WRITE READ, FPDU SEND WRITE READ, 1, FPDU SEND WRITE READ",
        "FPDU SEND WRITE READ, FPDU SEND WRITE READ, 0, FPDU SEND WRITE",
        "WRITE READ, FPDU SEND WRITE READ, 1, WRITE READ",
        "READ, FPDU SEND WRITE READ, 0, READ",
        "FPDU SEND, FPDU SEND WRITE READ, 1, FPDU SEND",
        "WRITE READ, FPDU WRITE, 1, WRITE",
        "WRITE, READ, 0, READ",
        "WRITE, FPDU, 0, FPDU",
        "'', WRITE READ, 1, WRITE READ"
    })
    void accept_peerToPeer_namesWhatBothCanOrElseAllOfOurs(String offered, String ours, int ird, String named) {
        EnhancedBlock asked = EnhancedBlock.peerToPeer(kinds(offered), 1, 0);
        MpaNegotiation.Answer answer =
                MpaNegotiation.accept(request(false, asked), CHOICES.withRtrKinds(kinds(ours)), ird, 0, NOTHING);
        assertThat(answer.agreement().rtrKinds()).isEqualTo(kinds(named));
        EnhancedBlock block = answer.reply().enhancedBlock();
        assertThat(block.peerToPeer()).isTrue();
        assertThat(block.fpduRtr()).isEqualTo(named.contains("FPDU"));
        assertThat(block.writeRtr()).isEqualTo(named.contains("WRITE"));
        assertThat(block.readRtr()).isEqualTo(named.contains("READ"));
        // A Read as RTR needs room for one Read. The request did not ask for any with its ORD of 0.
        assertThat(block.ird()).isEqualTo(named.contains("READ") ? 1 : 0);
        assertThat(answer.agreement().reads().ird()).isEqualTo(block.ird());
    }

    @Test
    void accept_clientServer_ignoresAndClearsTheOtherFlags() {
        EnhancedBlock asked = new EnhancedBlock(false, true, true, true, 1, 1);
        MpaNegotiation.Answer answer = MpaNegotiation.accept(request(false, asked), CHOICES, 1, 1, NOTHING);
        assertThat(answer.reply().enhancedBlock()).isEqualTo(EnhancedBlock.of(1, 1));
        assertThat(answer.agreement().rtrKinds()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        // ours; the reply's; its IRD; what is sent
        "FPDU SEND WRITE READ, FPDU SEND WRITE READ, 1, WRITE",
        "FPDU SEND READ, FPDU SEND WRITE READ, 1, FPDU",
        "SEND READ, FPDU SEND WRITE READ, 1, SEND",
        "READ, FPDU SEND WRITE READ, 1, READ",
        "WRITE READ, READ, 1, READ",
        "WRITE READ, READ, 16383, READ",
        "FPDU, FPDU SEND, 0, FPDU"
    })
    void conclude_peerToPeer_sendsTheBestThatBothNamed(String ours, String named, int ird, RtrKind sent)
            throws MpaViolation {
        MpaChoices choices = CHOICES.withPeerToPeer(true).withRtrKinds(kinds(ours));
        EnhancedBlock asked = MpaNegotiation.request(choices, 1, 1, NOTHING).enhancedBlock();
        assertThat(asked.peerToPeer()).isTrue();
        assertThat(asked.fpduRtr()).isEqualTo(ours.contains("FPDU") || ours.contains("SEND"));
        assertThat(asked.writeRtr()).isEqualTo(ours.contains("WRITE"));
        assertThat(asked.readRtr()).isEqualTo(ours.contains("READ"));
        EnhancedBlock answer = EnhancedBlock.peerToPeer(kinds(named), ird, 1);
        assertThat(conclude(choices, reply(false, answer), 1, 1).rtrKinds()).containsExactly(sent);
    }

    @Test
    void conclude_peerToPeerWithoutACommonKind_isNoMatchingRtr() {
        MpaChoices choices = CHOICES.withPeerToPeer(true).withRtrKinds(kinds("WRITE READ"));
        for (EnhancedBlock block : new EnhancedBlock[] {
            EnhancedBlock.of(1, 1),
            new EnhancedBlock(false, true, true, true, 1, 1),
            new EnhancedBlock(true, false, false, false, 1, 1),
            new EnhancedBlock(true, true, false, false, 1, 1),
            // A Read as RTR, for which there is no room.
            new EnhancedBlock(true, false, false, true, 0, 1)
        }) {
            assertError(MpaError.NO_MATCHING_RTR, () -> conclude(choices, reply(false, block), 1, 1));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 255})
    void checkRevision_unknown_isABadFrame(int revision) {
        for (MpaFrame.Kind kind : MpaFrame.Kind.values()) {
            assertError(
                    MpaError.BAD_FRAME, () -> MpaNegotiation.checkRevision(unenhanced(kind, revision, false), CHOICES));
        }
    }

    @Test
    void checkRevision_beyondTheHighestThatWeSpeak_isABadFrame() {
        assertError(
                MpaError.BAD_FRAME,
                () -> MpaNegotiation.checkRevision(
                        request(false, EnhancedBlock.of(1, 1)), CHOICES.withRevision(1, false)));
    }

    @Test
    void understood_replyToAnEnhancedRequest_onlyIfEnhancedOrARejectionOfRevision2() {
        MpaFrame request = request(false, EnhancedBlock.of(1, 1));
        assertThat(MpaNegotiation.understood(request, reply(false, EnhancedBlock.of(1, 1))))
                .isTrue();
        assertThat(MpaNegotiation.understood(request, unenhanced(MpaFrame.Kind.REPLY, 2, true)))
                .isTrue();
        assertThat(MpaNegotiation.understood(request, unenhanced(MpaFrame.Kind.REPLY, 2, false)))
                .isFalse();
        assertThat(MpaNegotiation.understood(request, unenhanced(MpaFrame.Kind.REPLY, 1, false)))
                .isFalse();
        assertThat(MpaNegotiation.understood(request, unenhanced(MpaFrame.Kind.REPLY, 1, true)))
                .isFalse();
        assertThat(MpaNegotiation.understood(
                        unenhanced(MpaFrame.Kind.REQUEST, 1, false), unenhanced(MpaFrame.Kind.REPLY, 1, true)))
                .isTrue();
    }

    @Test
    void request_revision1_hasNoBlock() throws MpaViolation {
        MpaChoices choices = CHOICES.withRevision(1, false).withCrcPolicy(CrcPolicy.REQUIRED);
        MpaFrame request = MpaNegotiation.request(choices, 3, 4, Hex.bytes("01020304"));
        ByteBuffer out = ByteBuffer.allocate(request.lengthBytes());
        request.encode(out);
        assertThat(Hex.of(out.flip())).isEqualTo("4d504120494420526571204672616d65" + "40010004" + "01020304");
        assertThat(conclude(choices, unenhanced(MpaFrame.Kind.REPLY, 1, false), 3, 4))
                .isEqualTo(new MpaAgreement(
                        1,
                        new MpaAgreement.Framing(true, false, false),
                        new MpaAgreement.Reads(3, 4, OptionalInt.empty(), OptionalInt.empty()),
                        Set.of()));
    }

    @Test
    void conclude_revision1InPeerToPeerMode_opensWithAWriteThatNobodyNamed() throws MpaViolation {
        MpaChoices choices = CHOICES.withRevision(1, false).withPeerToPeer(true);
        assertThat(conclude(choices, unenhanced(MpaFrame.Kind.REPLY, 1, false), 3, 4)
                        .rtrKinds())
                .containsExactly(RtrKind.WRITE);
    }

    @Test
    void conclude_enhancedReplyToARequestThatWasNot_isABadFrame() {
        MpaFrame request = unenhanced(MpaFrame.Kind.REQUEST, 2, false);
        assertError(
                MpaError.BAD_FRAME,
                () -> MpaNegotiation.conclude(request, reply(false, EnhancedBlock.of(1, 1)), CHOICES, 1, 1));
    }

    @Test
    void reject_enhancedRequest_keepsTheUpperLayersBytesBehindABlock() {
        MpaFrame reply = MpaNegotiation.reject(request(false, EnhancedBlock.of(1, 1)), Hex.bytes("aabb"));
        assertThat(reply.rejected()).isTrue();
        assertThat(Hex.of(reply.privateData())).isEqualTo("00000000aabb");
        assertThat(Hex.of(reply.upperLayerPrivateData())).isEqualTo("aabb");
    }

    @Test
    void reject_revision1_hasTheUpperLayersBytesAlone() {
        MpaFrame reply = MpaNegotiation.reject(unenhanced(MpaFrame.Kind.REQUEST, 1, false), Hex.bytes("aabb"));
        assertThat(reply.revision()).isEqualTo(1);
        assertThat(Hex.of(reply.privateData())).isEqualTo("aabb");
    }

    @Test
    void conclude_replyOfSiwInPeerToPeerMode_isAWrite() throws MpaViolation {
        MpaFrame reply = new MpaFrameReader(MpaFrame.Kind.REPLY)
                .read(Capture.load("p2p").connectionTo(20049).fromResponder());
        MpaAgreement agreement = conclude(CHOICES.withPeerToPeer(true), reply, 128, 1);
        assertThat(agreement.rtrKinds()).containsExactly(RtrKind.WRITE);
        assertThat(agreement.reads().ord()).isEqualTo(1);
    }
}
