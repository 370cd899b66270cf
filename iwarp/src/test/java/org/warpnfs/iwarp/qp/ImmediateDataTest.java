package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Immediate Data in both directions (RFC 7306, section 6). */
class ImmediateDataTest {
    private static final long DATA = 0x0102030405060708L;

    private final TestLink link = TestLink.extended();

    private void receives(int count, int lengthBytes) {
        for (int i = 1; i <= count; i++) {
            link.created.postReceive(i, ByteBuffer.allocate(lengthBytes));
        }
    }

    @Test
    void post_bothForms_haveTheBytesOfFigure7_inOneSequenceWithSends() {
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(0)));
        link.created.post(new WorkRequest.ImmediateData(2, DATA, false));
        link.created.post(WorkRequest.Send.of(3, ByteBuffer.allocate(0)));
        link.created.post(new WorkRequest.ImmediateData(4, DATA, true));
        link.created.flush();
        link.runTasks();
        // Length 26, control, reserved word, QN 0, MSN, MO 0, the eight bytes in the given order; no pad, no CRC.
        assertThat(link.takeWrite())
                .isEqualTo(String.join(
                        "",
                        "0012" + "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "00000000",
                        "001a" + "4148" + "00000000" + "00000000" + "00000002" + "00000000" + "0102030405060708"
                                + "00000000",
                        "0012" + "4143" + "00000000" + "00000000" + "00000003" + "00000000" + "00000000",
                        "001a" + "4149" + "00000000" + "00000000" + "00000004" + "00000000" + "0102030405060708"
                                + "00000000"));
        assertThat(link.completions)
                .containsExactly(
                        new Completion.Sent(1, CompletionStatus.SUCCESS),
                        new Completion.ImmediateSent(2, CompletionStatus.SUCCESS),
                        new Completion.Sent(3, CompletionStatus.SUCCESS),
                        new Completion.ImmediateSent(4, CompletionStatus.SUCCESS));
    }

    @Test
    void received_bothForms_fillAReceiveEachAndSayWhetherAnEventIsAskedFor() {
        receives(2, 8);
        link.fpdu("4148 00000000 00000000 00000002 00000000 0102030405060708");
        link.fpdu("4149 00000000 00000000 00000003 00000000 ffeeddccbbaa9988");
        Completion.ReceivedImmediate plain = (Completion.ReceivedImmediate) link.completions.get(0);
        Completion.ReceivedImmediate solicited = (Completion.ReceivedImmediate) link.completions.get(1);
        assertThat(plain.workRequestId()).isEqualTo(1);
        assertThat(plain.data()).isEqualTo(DATA);
        assertThat(Hex.of(plain.buffer())).isEqualTo("0102030405060708");
        assertThat(plain.solicitedEvent()).isFalse();
        assertThat(solicited.data()).isEqualTo(0xffeeddccbbaa9988L);
        assertThat(solicited.solicitedEvent()).isTrue();
        assertThat(solicited.status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    @Test
    void received_moreThanReceivesArePosted_isTerminated() {
        receives(2, 8);
        link.fpdu("4148 00000000 00000000 00000002 00000000 0102030405060708");
        link.fpdu("4143 00000000 00000000 00000003 00000000");
        String header = "4148 00000000 00000000 00000004 00000000";
        link.fpdu(header + "0102030405060708");
        assertThat(link.takeWrite().substring(4 + 36)).startsWith("1202c000001a" + header.replace(" ", ""));
        assertThat(link.completions).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"4148, 0", "4148, 7", "4148, 9", "4148, 4096", "4149, 0", "4149, 7", "4149, 9", "4149, 4096"})
    void received_otherThanEightBytes_isTerminatedAndItsReceiveFails(String control, int bodyBytes) {
        receives(2, 4096);
        String header = control + " 00000000 00000000 00000002 00000000";
        link.fpdu(header + "55".repeat(bodyBytes));
        assertThat(link.takeWrite().substring(4 + 36))
                .startsWith("0207c000" + String.format("%04x", 18 + bodyBytes) + header.replace(" ", ""));
        assertThat(link.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(tuple(1L, CompletionStatus.REMOTE_ERROR), tuple(2L, CompletionStatus.FLUSHED));
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
    }

    @Test
    void received_intoAReceiveOfFourBytes_isTerminatedAsTooLong() {
        receives(1, 4);
        String header = "4148 00000000 00000000 00000002 00000000";
        link.fpdu(header + "0102030405060708");
        assertThat(link.takeWrite().substring(4 + 36)).startsWith("1205c000001a" + header.replace(" ", ""));
        assertThat(link.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(tuple(1L, CompletionStatus.LENGTH_ERROR));
    }

    @Test
    void received_inSegments_isDeliveredWhenWhole() {
        receives(1, 8);
        link.fpdu("0148 00000000 00000000 00000002 00000000 010203");
        assertThat(link.completions).isEmpty();
        link.fpdu("4148 00000000 00000000 00000002 00000003 0405060708");
        assertThat(link.completions).hasSize(1);
    }

    @Test
    void received_invalidateStagSet_invalidatesNothing() {
        receives(1, 8);
        MemoryRegion region = link.created.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.REMOTE_WRITE));
        link.fpdu("7d78" + String.format("%08x", region.stag()) + "00000000 00000002 00000000 0102030405060708");
        assertThat(link.completions).hasSize(1);
        assertThat(region.valid()).isTrue();
    }

    @Test
    void received_alternatingWithSends_areDeliveredInOrder() {
        List<Long> expected = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            link.created.postReceive(i, ByteBuffer.allocate(8));
            link.fpdu((i % 3 == 0 ? "4143" : i % 3 == 1 ? "4148" : "4149")
                    + String.format(" 00000000 00000000 %08x 00000000 %016x", i + 2, i));
            expected.add((long) i);
        }
        assertThat(link.completions).extracting(Completion::workRequestId).isEqualTo(expected);
        assertThat(link.completions.get(1)).isInstanceOf(Completion.ReceivedImmediate.class);
        assertThat(((Completion.ReceivedImmediate) link.completions.get(1_999)).data())
                .isEqualTo(1_999);
    }

    @Test
    void receivedBehindAWrite_findsItsBytesInPlace() {
        receives(1, 8);
        ByteBuffer memory = ByteBuffer.allocate(4_000);
        MemoryRegion region = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_WRITE));
        String stag = String.format("%08x", region.stag());
        // The second half of the message comes first, with the Immediate Data in between, whose delivery waits for both
        // halves.
        link.fpdu("8140" + stag + "00000000000007d0" + "ab".repeat(2_000));
        link.fpdu("4148 00000000 00000000 00000002 00000000 0102030405060708");
        assertThat(link.completions).isEmpty();
        link.fpdu("c140" + stag + "0000000000000000" + "ab".repeat(2_000));
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(1L);
        assertThat(Hex.of(memory.duplicate().clear())).isEqualTo("ab".repeat(4_000));
    }

    @Test
    void readOrAtomicBehindAnOpenImmediate_waitsForIt() {
        receives(1, 8);
        ByteBuffer memory = ByteBuffer.allocateDirect(16).alignedSlice(8);
        MemoryRegion region =
                link.created.register(memory, EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC));
        link.fpdu("0148 00000000 00000000 00000002 00000000 01020304");
        link.fpdu("4141 00000000 00000001 00000001 00000000 00001000 0000000000000010 00000008"
                + String.format("%08x", region.stag()) + "0000000000000000");
        link.fpdu("414a 00000000 00000001 00000002 00000000 00000000 00000000"
                + String.format("%08x", region.stag())
                + "0000000000000000 0000000000000001 0000000000000000 0000000000000000 ffffffffffffffff");
        assertThat(link.writes).isEmpty();
        assertThat(memory.get(0) + memory.get(7)).isZero();
        link.fpdu("4148 00000000 00000000 00000002 00000004 05060708");
        assertThat(link.completions).hasSize(1);
        assertThat(link.writes).hasSize(2);
        assertThat(link.writes.get(0)).startsWith("0016c142").contains("0000000000000000");
        assertThat(link.writes.get(1)).startsWith("001e414b");
        assertThat(memory.get(0) + memory.get(7)).isEqualTo(1);
    }

    @Test
    void ended_messageThatWaitedForAnother_givesItsReceiveBack() {
        receives(2, 8);
        MemoryRegion region = link.created.register(ByteBuffer.allocate(8), EnumSet.of(AccessRight.REMOTE_WRITE));
        link.fpdu("8140" + String.format("%08x", region.stag()) + "0000000000000000 ab");
        link.fpdu("4148 00000000 00000000 00000002 00000000 0102030405060708");
        assertThat(link.completions).isEmpty();
        link.machine.linkLost("reset");
        assertThat(link.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(tuple(1L, CompletionStatus.FLUSHED), tuple(2L, CompletionStatus.FLUSHED));
    }

    /**
     * The Immediate Data was sent but its completion was not reported, because an earlier Read has not been answered.
     */
    @Test
    void peerRefusesTheLength_thatImmediateFailsIfItIsNotComplete_andTheCodeIsTold() {
        MemoryRegion sink = link.created.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.LOCAL_WRITE));
        link.created.post(new WorkRequest.RdmaRead(3, sink, 0, 1, new RemoteMemory(7, 9)));
        link.created.post(new WorkRequest.ImmediateData(4, DATA, false));
        link.created.post(new WorkRequest.RdmaWrite(5, List.of(ByteBuffer.allocate(1)), new RemoteMemory(7, 9)));
        link.created.flush();
        peerRefuses();
        assertThat(link.completions)
                .containsExactly(
                        new Completion.ReadDone(3, CompletionStatus.FLUSHED),
                        new Completion.ImmediateSent(4, CompletionStatus.REMOTE_ERROR),
                        new Completion.Written(5, CompletionStatus.FLUSHED));
    }

    /** What the socket finally takes counts as sent, because nothing more can be known. */
    @Test
    void peerRefusesTheLength_batchStillInTheSocket_completesAsItLeaves() {
        link.socketTakes = false;
        link.created.post(new WorkRequest.ImmediateData(4, DATA, false));
        link.created.flush();
        peerRefuses();
        assertThat(link.completions).isEmpty();
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.completions).containsExactly(new Completion.ImmediateSent(4, CompletionStatus.SUCCESS));
    }

    private void peerRefuses() {
        link.fpdu("4147 00000000 00000002 00000001 00000000 02 07 c0 00 001a"
                + "4148 00000000 00000000 00000001 00000000");
        if (link.socketTakes) {
            assertThat(link.reason.cause()).isEqualTo(Cause.PEER_TERMINATE);
            assertThat(link.reason.detail()).contains("layer 0 (RDMA) type 2 code 0x07");
        }
    }
}
