package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Violations of a peer, and the Terminate for each: layer, type, code, and included headers. */
class TerminateTest {
    private static final String TERMINATE = "4147 00000000 00000002 00000001 00000000";

    private final TestLink link = TestLink.open();
    private final ByteBuffer memory = ByteBuffer.allocate(64);
    private final MemoryRegion writable = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_WRITE));
    private final MemoryRegion readable =
            link.created.register(ByteBuffer.allocate(64), EnumSet.of(AccessRight.REMOTE_READ));

    /** Fills in STags: W may be written, R may be read, X does not exist. */
    private String stags(String hex) {
        return hex.replace("W", String.format("%08x", writable.stag()))
                .replace("R", String.format("%08x", readable.stag()))
                .replace("X", String.format("%08x", (writable.stag() ^ readable.stag()) | 1));
    }

    private void expectTerminate(String ulpdu, String controlAndHeaders) {
        String expected = Hex.of(Hex.bytes(TERMINATE + controlAndHeaders));
        String write = link.takeWrite();
        assertThat(write.substring(4, 4 + expected.length())).as(ulpdu).isEqualTo(expected);
        assertThat(Integer.parseInt(write.substring(0, 4), 16)).isEqualTo(expected.length() / 2);
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(link.outputEnded).isTrue();
        assertThat(link.bugs).isEmpty();
        assertThat(memory).isEqualTo(ByteBuffer.allocate(64));
        assertThat(writable.valid() || readable.valid()).isFalse();
        // Bytes that come now are neither placed, nor delivered, nor answered.
        link.in("ffff".repeat(40));
        assertThat(link.writes).isEmpty();
        assertThat(link.closed).isFalse();
        link.machine.receivedEnd();
        assertThat(link.closed).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        // DDP, tagged: STag, bounds, wrap, version
        "c140 X 0000000000000000 aa, 1100 c000 000f",
        "c140 R 0000000000000000 aa, 1100 c000 000f",
        "c140 W 0000000000000040 aa, 1101 c000 000f",
        "c140 W 000000000000003f aabb, 1101 c000 0010",
        "c140 W 8000000000000000 aabb, 1101 c000 0010",
        "c140 W ffffffffffffffff aabb, 1103 c000 0010",
        "c040 W 0000000000000000 aa, 1104 c000 000f",
        "c240 W 0000000000000000 aa, 1104 c000 000f",
        "c340 W 0000000000000000 aa, 1104 c000 000f",
        // DDP, untagged: QN, no buffer, MSN, version
        "4143 00000000 00000003 00000001 00000000, 1201 c000 0012",
        "4143 00000000 ffffffff 00000001 00000000, 1201 c000 0012",
        "4143 00000000 00000000 00000002 00000000, 1202 c000 0012",
        "4143 00000000 00000000 00000001 00000000, 1203 c000 0012",
        "4143 00000000 00000000 00000003 00000000, 1203 c000 0012",
        "4043 00000000 00000000 00000002 00000000, 1206 c000 0012",
        // RDMAP: version, opcodes that are reserved or belong to another queue
        "4103 00000000 00000000 00000002 00000000, 0205 c000 0012",
        "4183 00000000 00000000 00000002 00000000, 0205 c000 0012",
        "41c3 00000000 00000000 00000002 00000000, 0205 c000 0012",
        "c100 W 0000000000000000 aa, 0205 c000 000f",
        "4148 00000000 00000000 00000002 00000000, 0206 c000 0012",
        "414f 00000000 00000000 00000002 00000000, 0206 c000 0012",
        "4143 00000000 00000001 00000001 00000000, 0206 c000 0012",
        "4143 00000000 00000002 00000001 00000000, 0206 c000 0012",
        "4147 00000000 00000000 00000002 00000000, 0206 c000 0012",
        "4140 00000000 00000000 00000002 00000000, 0206 c000 0012",
        "c143 W 0000000000000000 aa, 0206 c000 000f",
        "c142 W 0000000000000000 aa, 0206 c000 000f",
        "c142 W 0000000000000000, 0206 c000 000e"
    })
    void received_badSegment_isTerminatedWithItsHeader(String ulpdu, String control) {
        String segment = stags(ulpdu);
        link.fpdu(segment);
        int headerBytes = ulpdu.startsWith("c") ? 14 : 18;
        expectTerminate(ulpdu, control + Hex.of(Hex.bytes(segment).limit(headerBytes)));
    }

    @ParameterizedTest
    @CsvSource({
        "X 0000000000000000, 0100",
        "W 0000000000000000, 0102",
        "R 000000000000003f, 0101",
        "R ffffffffffffffff, 0104"
    })
    void received_badReadRequest_isTerminatedWithBothHeaders(String source, String code) {
        String header = "4141 00000000 00000001 00000001 00000000";
        String request = stags("00001000 0000000000000010 00000002" + source);
        link.fpdu(header + request);
        expectTerminate(source, code + "e000 002e" + header + request);
    }

    @ParameterizedTest
    @CsvSource({"27, 02ff c000 002d", "29, 1205 c000 002f"})
    void received_readRequestOfWrongLength_isTerminated(int requestBytes, String control) {
        String header = "4141 00000000 00000001 00000001 00000000";
        link.fpdu(header + "00".repeat(requestBytes));
        expectTerminate("request of " + requestBytes, control + header);
    }

    @Test
    void received_moreReadRequestsThanIrd_isTerminated() {
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        link.created.flush();
        link.writes.clear();
        for (int msn = 1; msn <= 3; msn++) {
            link.fpdu("4141 00000000 00000001 0000000" + msn + " 00000000"
                    + "00001000 0000000000000010 00000000 00000000 0000000000000000");
        }
        assertThat(link.reason).isNull();
        link.socketTakes = true;
        link.releaseHeld();
        expectTerminate("the third", "1202 c000 002e" + "4141 00000000 00000001 00000003 00000000");
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(1L);
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "13"})
    void received_segmentShorterThanItsHeader_isTerminatedWithoutOne(int lengthBytes) {
        link.fpdu("c1".repeat(lengthBytes));
        expectTerminate("length " + lengthBytes, "02ff 0000");
    }

    @Test
    void received_untaggedSegmentShorterThanItsHeader_isTerminatedWithoutOne() {
        link.fpdu("41".repeat(17));
        expectTerminate("length 17", "02ff 0000");
    }

    @Test
    void received_messageLongerThanItsReceive_isTerminatedAndThatReceiveFails() {
        link.created.postReceive(7, ByteBuffer.allocate(4));
        link.created.postReceive(8, ByteBuffer.allocate(4));
        link.fpdu("0143 00000000 00000000 00000002 00000000 aabbccdd");
        String second = "4143 00000000 00000000 00000002 00000004";
        link.fpdu(second + "ee");
        expectTerminate("too long", "1205 c000 0013" + second);
        assertThat(link.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(tuple(7L, CompletionStatus.LENGTH_ERROR), tuple(8L, CompletionStatus.FLUSHED));
    }

    @Test
    void received_offsetBeyondItsReceive_isTerminated() {
        link.created.postReceive(7, ByteBuffer.allocate(4));
        String header = "4143 00000000 00000000 00000002 00000005";
        link.fpdu(header);
        expectTerminate("MO 5", "1204 c000 0012" + header);
    }

    @Test
    void received_messageWithAHole_isTerminated() {
        link.created.postReceive(7, ByteBuffer.allocate(9));
        link.fpdu("0143 00000000 00000000 00000002 00000000 aa");
        String header = "4143 00000000 00000000 00000002 00000002";
        link.fpdu(header + "bb");
        expectTerminate("hole at 1", "1204 c000 0013" + header);
    }

    @Test
    void received_opcodeChangesWithinAMessage_isTerminated() {
        link.created.postReceive(7, ByteBuffer.allocate(9));
        link.fpdu("0143 00000000 00000000 00000002 00000000 aa");
        String header = "4145 00000000 00000000 00000002 00000001";
        link.fpdu(header + "bb");
        expectTerminate("Send, then Send with SE", "0206 c000 0013" + header);
    }

    @Test
    void received_invalidateOfAnUnknownStag_isTerminated() {
        link.created.postReceive(7, ByteBuffer.allocate(9));
        String header = stags("4144 X 00000000 00000002 00000000");
        link.fpdu(header);
        expectTerminate("invalidate", "0209 c000 0012" + header);
        // Found by fuzzing: the receive that the message had taken was lost.
        assertThat(link.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(tuple(7L, CompletionStatus.REMOTE_ERROR));
    }

    @Test
    void received_writeAfterInvalidation_isTerminated() {
        link.created.postReceive(7, ByteBuffer.allocate(9));
        link.fpdu(stags("4144 W 00000000 00000002 00000000"));
        assertThat(writable.valid()).isFalse();
        String header = stags("c140 W 0000000000000000");
        link.fpdu(header + "aa");
        expectTerminate("write", "1100 c000 000f" + header);
    }

    @Test
    void received_regionInvalidatedWhileASegmentArrives_nothingMoreIsPlaced() {
        String header = stags("c140 W 0000000000000000");
        link.in("0010" + header + "00");
        writable.invalidate();
        link.in("bb");
        expectTerminate("late", "1100 c000 0010" + header);
    }

    @Test
    void received_readResponseThatIsNotWhatWasAskedFor_isTerminatedAndTheReadFails() {
        MemoryRegion sink = link.created.register(ByteBuffer.allocate(20), EnumSet.of(AccessRight.LOCAL_WRITE));
        link.created.post(new WorkRequest.RdmaRead(3, sink, 4, 8, new RemoteMemory(5, 6)));
        link.created.flush();
        String stag = String.format("%08x", sink.stag());
        assertThat(link.takeWrite())
                .isEqualTo("002e" + "41410000000000000001" + "0000000100000000" + stag + "0000000000000004" + "00000008"
                        + "00000005" + "0000000000000006" + "00000000");
        String header = "c142" + stag + "0000000000000005";
        link.fpdu(header + "1122334455667788");
        expectTerminate("one byte too far", "1101 c000 0016" + header);
        assertThat(link.completions).containsExactly(new Completion.ReadDone(3, CompletionStatus.REMOTE_ERROR));
    }

    @Test
    void received_readResponseThatEndsEarly_isTerminated() {
        MemoryRegion sink = link.created.register(ByteBuffer.allocate(20), EnumSet.of(AccessRight.LOCAL_WRITE));
        link.created.post(new WorkRequest.RdmaRead(3, sink, 0, 8, new RemoteMemory(5, 6)));
        link.created.flush();
        link.writes.clear();
        String header = "c142" + String.format("%08x", sink.stag()) + "0000000000000000";
        link.fpdu(header + "11223344556677");
        expectTerminate("one byte missing", "02ff c000 0015" + header);
    }

    @Test
    void received_terminate_isNeverAnswered() {
        link.created.postReceive(7, ByteBuffer.allocate(9));
        link.created.post(new WorkRequest.RdmaRead(
                3,
                link.created.register(ByteBuffer.allocate(20), EnumSet.of(AccessRight.LOCAL_WRITE)),
                0,
                8,
                new RemoteMemory(5, 6)));
        link.created.flush();
        link.writes.clear();
        link.fpdu(TERMINATE + "01 00 e0 00 002e" + "4141 00000000 00000001 00000001 00000000" + "00".repeat(28));
        assertThat(link.reason.cause()).isEqualTo(Cause.PEER_TERMINATE);
        assertThat(link.reason.detail()).contains("layer 0 (RDMA) type 1 code 0x00");
        assertThat(link.completions)
                .containsExactly(
                        new Completion.Received(
                                7, CompletionStatus.FLUSHED, ByteBuffer.allocate(9), false, OptionalLong.empty()),
                        new Completion.ReadDone(3, CompletionStatus.REMOTE_ERROR));
        assertThat(link.writes).isEmpty();
        assertThat(link.outputEnded).isTrue();
    }

    @Test
    void received_segmentWithEveryReservedBit_isTaken() {
        link.created.postReceive(7, ByteBuffer.allocate(9));
        link.fpdu("7d73 12345678 00000000 00000002 00000000 aa");
        link.fpdu(stags("fd70 W 0000000000000001 bb"));
        assertThat(link.reason).isNull();
        assertThat(link.completions).hasSize(1);
        assertThat(memory.get(1)).isEqualTo((byte) 0xbb);
    }

    @Test
    void received_emptyWriteAndEmptyRead_areNotLookedAtForTheirStags() {
        link.fpdu("c140 deadbeef ffffffffffffffff");
        link.fpdu("4141 00000000 00000001 00000001 00000000 00000007 0000000000000009 00000000 deadbeef "
                + "ffffffffffffffff");
        assertThat(link.reason).isNull();
        assertThat(link.takeWrite()).isEqualTo("000e" + "c142" + "00000007" + "0000000000000009" + "00000000");
    }

    @Test
    void received_segmentsOfAMessageInAnyOrder_arePutTogether() {
        link.created.postReceive(7, ByteBuffer.allocate(9));
        link.fpdu("0143 00000000 00000000 00000002 00000002 cc");
        link.fpdu("0143 00000000 00000000 00000002 00000000 aabb");
        link.fpdu("4143 00000000 00000000 00000002 00000003 dd");
        assertThat(link.completions).hasSize(1);
        Completion.Received received = (Completion.Received) link.completions.getFirst();
        assertThat(Hex.of(received.buffer())).isEqualTo("aabbccdd");
    }

    @Test
    void answering_sourceRevokedUnderWay_isTerminatedWithWhatIsLeft() {
        MemoryRegion big =
                link.created.register(ByteBuffer.allocateDirect(2 << 20), EnumSet.of(AccessRight.REMOTE_READ));
        link.socketTakes = false;
        String request = String.format("00001000 0000000000000010 00200000 %08x 0000000000000000", big.stag());
        link.fpdu("4141 00000000 00000001 00000001 00000000" + request);
        assertThat(link.held.element().lengthBytes()).isEqualTo(8 * 65_536);
        // Another segment arrives in between. The header that is sent back still belongs to the request.
        link.fpdu("c140 00000001 0000000000000000");
        big.invalidate();
        link.writes.clear();
        link.socketTakes = true;
        link.releaseHeld();
        long answered = 8 * 65_516;
        expectTerminate(
                "revoked",
                "0100 e000 002e" + "4141 00000000 00000001 00000001 00000000"
                        + String.format(
                                "00001000 %016x %08x %08x %016x",
                                0x10 + answered, 0x20_0000 - answered, big.stag(), answered));
    }

    @Test
    void ended_bufferStillInTheSocket_comesBackOnlyWhenItIsOut() {
        link.socketTakes = false;
        link.created.post(
                new WorkRequest.RdmaWrite(4, List.of(ByteBuffer.allocateDirect(5000)), new RemoteMemory(1, 0)));
        link.created.flush();
        link.fpdu("c040 00000001 0000000000000000 aa");
        assertThat(link.reason).isNull();
        assertThat(link.completions).isEmpty();
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(4L);
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
    }

    /** Whoever sent the Terminate: what arrives behind it is thrown away until the peer ends its direction too. */
    @ParameterizedTest
    @ValueSource(strings = {TERMINATE + "01000000", "c040 00000001 0000000000000000 aa"})
    void ended_byATerminate_isClosedWhenThePeerHasEndedOrAfterFiveSeconds(String fpdu) {
        for (boolean peerEnds : new boolean[] {true, false}) {
            TestLink link = TestLink.open();
            link.fpdu(fpdu);
            assertThat(link.outputEnded).isTrue();
            int writes = link.writes.size();
            link.in("c1".repeat(100));
            link.pass(TimeUnit.SECONDS.toNanos(5) - 1);
            assertThat(link.closed).isFalse();
            if (peerEnds) {
                link.machine.receivedEnd();
            } else {
                link.pass(1);
            }
            assertThat(link.closed).isTrue();
            assertThat(link.writes).hasSize(writes);
            assertThat(link.bugs).isEmpty();
        }
    }

    @Test
    void ended_peerTakesNothing_isClosedAtTheDeadline() {
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(4, ByteBuffer.allocateDirect(5000)));
        link.created.flush();
        link.fpdu("c040 00000001 0000000000000000 aa");
        link.pass(TimeUnit.SECONDS.toNanos(5) - 1);
        assertThat(link.closed).isFalse();
        assertThat(link.completions).isEmpty();
        link.pass(1);
        assertThat(link.closed).isTrue();
        assertThat(link.completions).containsExactly(new Completion.Sent(4, CompletionStatus.FLUSHED));
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
    }
}
