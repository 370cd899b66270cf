package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.AtomicityScope;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Atomic operations that we request from a peer: what is sent, what is received, and when they complete. ORD is 4. */
class AtomicRequesterTest {
    private static final RemoteMemory TARGET = new RemoteMemory(0xcafeba00L, 0x1000);

    private final TestLink link = TestLink.extended();

    private static WorkRequest.FetchAdd add(long id, long data) {
        return new WorkRequest.FetchAdd(id, TARGET, MaskedWord.addend(data));
    }

    private void post(WorkRequest... work) {
        for (WorkRequest one : work) {
            link.created.post(one);
        }
        link.created.flush();
        link.runTasks();
    }

    private void answer(int msn, long identifier, long value) {
        link.fpdu(String.format("414b 00000000 00000003 %08x 00000000 %08x %016x", msn, identifier, value));
    }

    @Test
    void post_fetchAddAndCompareSwap_haveTheBytesOfFigures4And5() {
        post(
                new WorkRequest.FetchAdd(1, TARGET, MaskedWord.addend(5)),
                new WorkRequest.CompareSwap(
                        2, TARGET, MaskedWord.whole(0x1122334455667788L), MaskedWord.whole(0xaabbccddeeff0011L)),
                new WorkRequest.FetchAdd(3, TARGET, new MaskedWord(6, 0x8000000080000000L)),
                new WorkRequest.CompareSwap(4, TARGET, new MaskedWord(0x10, 0x11), new MaskedWord(0x12, 0x13)));
        // RFC 7306, figure 4 after the header of RFC 5041, figure 4: length, control, Invalidate STag 0, QN 1, MSN, MO
        // 0; then AOpCode, identifier, STag, TO, add or swap data and mask, compare data and mask. In a FetchAdd the
        // last two are zero and all ones.
        assertThat(String.join("", link.writes))
                .isEqualTo(String.join(
                        "",
                        "0046" + "414a00000000" + "00000001" + "00000001" + "00000000",
                        "00000000" + "00000000" + "cafeba00" + "0000000000001000",
                        "0000000000000005" + "0000000000000000" + "0000000000000000" + "ffffffffffffffff" + "00000000",
                        "0046" + "414a00000000" + "00000001" + "00000002" + "00000000",
                        "00000002" + "00000001" + "cafeba00" + "0000000000001000",
                        "aabbccddeeff0011" + "ffffffffffffffff" + "1122334455667788" + "ffffffffffffffff" + "00000000",
                        "0046" + "414a00000000" + "00000001" + "00000003" + "00000000",
                        "00000000" + "00000002" + "cafeba00" + "0000000000001000",
                        "0000000000000006" + "8000000080000000" + "0000000000000000" + "ffffffffffffffff" + "00000000",
                        "0046" + "414a00000000" + "00000001" + "00000004" + "00000000",
                        "00000002" + "00000003" + "cafeba00" + "0000000000001000",
                        "0000000000000012" + "0000000000000013" + "0000000000000010" + "0000000000000011"
                                + "00000000"));
    }

    @Test
    void answered_inOrder_completesWithTheOriginalValue() {
        post(add(1, 1), add(2, 1));
        assertThat(link.completions).isEmpty();
        // RFC 7306, figure 6: identifier, original value.
        link.fpdu("414b 00000000 00000003 00000001 00000000 00000000 fedcba9876543210");
        assertThat(link.completions)
                .containsExactly(new Completion.AtomicDone(1, CompletionStatus.SUCCESS, 0xfedcba9876543210L));
        answer(2, 1, 7);
        assertThat(link.completions).last().isEqualTo(new Completion.AtomicDone(2, CompletionStatus.SUCCESS, 7));
        assertThat(link.reason).isNull();
    }

    @Test
    void post_readsAndAtomics_shareMsnsAndOrd() {
        MemoryRegion sink = link.created.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.LOCAL_WRITE));
        WorkRequest read = new WorkRequest.RdmaRead(1, sink, 0, 1, new RemoteMemory(0x77, 6));
        post(read, add(2, 1), read, add(3, 1), add(4, 1), WorkRequest.Send.of(5, ByteBuffer.allocate(0)));
        String wire = String.join("", link.writes);
        // Four requests have been sent, with MSN 1 to 4 on queue 1. The fifth waits, and so does the Send behind it.
        assertThat(wire)
                .contains("41410000000000000001" + "00000001")
                .contains("414a0000000000000001" + "00000002")
                .contains("41410000000000000001" + "00000003")
                .contains("414a0000000000000001" + "00000004")
                .doesNotContain("0000000100000005", "41430000");
        link.writes.clear();
        link.fpdu("c142" + String.format("%08x", sink.stag()) + "0000000000000000 aa");
        assertThat(String.join("", link.writes))
                .contains("414a0000000000000001" + "00000005")
                .contains("4143");
        link.writes.clear();
        post(add(6, 1));
        assertThat(link.writes).isEmpty();
        answer(1, 0, 0);
        assertThat(String.join("", link.writes)).contains("414a0000000000000001" + "00000006");
        // Not before the second Read, which was posted earlier, because completions come in the order of posting.
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(1L, 2L);
    }

    @Test
    void post_ordOne_requestSendRequest_leaveInThatOrder() {
        ConnectOptions one = new ConnectOptions(ByteBuffer.allocate(0), 1, 1).with(RdmaExtension.ATOMIC_OPERATIONS);
        TestLink narrow = TestLink.open(one);
        narrow.created.post(add(1, 1));
        narrow.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(0)));
        narrow.created.post(add(3, 1));
        narrow.created.flush();
        String first = String.join("", narrow.writes);
        assertThat(first).containsSubsequence("414a", "4143").doesNotContain("0000000100000002");
        narrow.writes.clear();
        narrow.fpdu("414b 00000000 00000003 00000001 00000000 00000000 0000000000000000");
        assertThat(narrow.takeWrite()).startsWith("0046414a0000000000000001" + "00000002");
        narrow.fpdu("414b 00000000 00000003 00000002 00000000 00000001 0000000000000001");
        assertThat(narrow.completions).extracting(Completion::workRequestId).containsExactly(1L, 2L, 3L);
    }

    @Test
    void post_manyAtomics_leaveInTheOrderOfPosting_eachOnceItsPlaceIsFree() {
        for (int i = 0; i < 1_000; i++) {
            link.created.post(add(i, i));
        }
        link.created.flush();
        for (int i = 0; i < 1_000; i++) {
            answer(i + 1, i, i);
        }
        String wire = String.join("", link.writes);
        for (int at = 0, i = 0; i < 1_000; at += 152, i++) {
            assertThat(wire.substring(at, at + 40))
                    .isEqualTo(String.format("0046414a0000000000000001%08x00000000", i + 1));
            assertThat(wire.substring(at + 80, at + 96)).isEqualTo(String.format("%016x", i));
        }
        assertThat(link.completions)
                .hasSize(1_000)
                .extracting(Completion::workRequestId)
                .isSorted();
    }

    @ParameterizedTest
    @CsvSource({
        "identifier of another, 414b 00000000 00000003 00000001 00000000, 00000001 0000000000000000, 0207",
        "one byte short, 414b 00000000 00000003 00000001 00000000, 00000000 00000000000000, 0207",
        "one byte long, 414b 00000000 00000003 00000001 00000000, 00000000 000000000000000000, 1205",
        "32 bytes long, 414b 00000000 00000003 00000001 00000000, "
                + "0000000000000000000000000000000000000000000000000000000000000000, 1205",
        "MSN 0, 414b 00000000 00000003 00000000 00000000, 00000000 0000000000000000, 1203",
        "MSN 2, 414b 00000000 00000003 00000002 00000000, 00000000 0000000000000000, 1203",
        "offset 1, 414b 00000000 00000003 00000001 00000001, 00000000 0000000000000000, 1205",
        "offset 13, 414b 00000000 00000003 00000001 0000000d, 00, 1204",
        "on queue 1, 414b 00000000 00000001 00000001 00000000, 00000000 0000000000000000, 0206"
    })
    void answered_wrongly_isTerminatedAndTheOperationFails(String what, String header, String body, String code) {
        post(add(7, 1));
        link.writes.clear();
        link.fpdu(header + body);
        String segmentBytes = String.format("%04x", 18 + body.replace(" ", "").length() / 2);
        assertThat(link.takeWrite().substring(4 + 36))
                .as(what)
                .startsWith(code + "c000" + segmentBytes + header.replace(" ", ""));
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(link.completions).containsExactly(new Completion.AtomicDone(7, CompletionStatus.REMOTE_ERROR, 0));
    }

    @Test
    void answered_withNothingOutstanding_isTerminated() {
        answer(1, 0, 0);
        assertThat(link.takeWrite().substring(4 + 36)).startsWith("0207c000001e");
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
    }

    @Test
    void answered_twice_isTerminated() {
        post(add(7, 1));
        answer(1, 0, 0);
        link.writes.clear();
        answer(2, 0, 0);
        assertThat(link.takeWrite().substring(4 + 36)).startsWith("0207c000001e");
        assertThat(link.completions).containsExactly(new Completion.AtomicDone(7, CompletionStatus.SUCCESS, 0));
    }

    @Test
    void answered_inSegments_isTakenWhenWhole() {
        post(add(7, 1));
        link.fpdu("014b 00000000 00000003 00000001 00000000 00000000 0102");
        assertThat(link.completions).isEmpty();
        link.fpdu("414b 00000000 00000003 00000001 00000006 030405060708");
        assertThat(link.completions)
                .containsExactly(new Completion.AtomicDone(7, CompletionStatus.SUCCESS, 0x0102030405060708L));
    }

    @Test
    void answeredLate_laterWorkOfBothEnds_goesOnMeanwhile() {
        link.created.postReceive(9, ByteBuffer.allocate(8));
        MemoryRegion written = link.created.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.REMOTE_WRITE));
        post(add(1, 1));
        post(WorkRequest.Send.of(2, ByteBuffer.allocate(0)));
        post(new WorkRequest.RdmaWrite(3, List.of(ByteBuffer.allocate(1)), new RemoteMemory(1, 1)));
        post(new WorkRequest.ImmediateData(4, 5, false));
        // All were sent, although the response has not arrived. Messages from the peer still arrive meanwhile.
        assertThat(link.writes).hasSize(4);
        link.fpdu("c140" + String.format("%08x", written.stag()) + "0000000000000000 aa");
        link.fpdu("4148 00000000 00000000 00000002 00000000 0102030405060708");
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(9L);
        answer(1, 0, 0);
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(9L, 1L, 2L, 3L, 4L);
    }

    @Test
    void peerWithoutAtomics_terminates_thatOperationIsUnsupportedAndTheRestFlushed() {
        post(add(1, 0), add(2, 1));
        String named = "414a 00000000 00000001 00000001 00000000";
        link.fpdu("4147 00000000 00000002 00000001 00000000 02 06 c0 00 0046" + named);
        assertThat(link.completions)
                .containsExactly(
                        new Completion.AtomicDone(1, CompletionStatus.UNSUPPORTED, 0),
                        new Completion.AtomicDone(2, CompletionStatus.FLUSHED, 0));
        assertThat(link.reason.cause()).isEqualTo(Cause.PEER_TERMINATE);
        assertThat(link.reason.detail()).contains("type 2 code 0x06");
    }

    @Test
    void peerRefusesMisalignedTarget_thatOperationFails() {
        post(add(1, 0), add(2, 1));
        link.fpdu("4147 00000000 00000002 00000001 00000000 02 07 c0 00 0046"
                + "414a 00000000 00000001 00000002 00000000");
        assertThat(link.completions)
                .containsExactly(
                        new Completion.AtomicDone(1, CompletionStatus.FLUSHED, 0),
                        new Completion.AtomicDone(2, CompletionStatus.REMOTE_ERROR, 0));
    }

    @Test
    void ended_outstandingAtomicsAndImmediates_areFlushedInOrder() {
        for (int i = 0; i < 8; i++) {
            link.created.post(i % 2 == 0 ? add(i, 1) : new WorkRequest.ImmediateData(i, i, false));
        }
        link.created.flush();
        link.runTasks();
        link.fpdu("4147 00000000 00000002 00000001 00000000 00 00 00 00");
        assertThat(link.completions).hasSize(8).allMatch(done -> done.status() == CompletionStatus.FLUSHED);
        assertThat(link.completions).extracting(Completion::workRequestId).isSorted();
        assertThat(link.writes).noneMatch(write -> write.substring(4).startsWith("4147"));
    }

    @Test
    void post_extensionOffOrOrdZero_isABugOfTheCaller() {
        TestLink plain = TestLink.open();
        assertThatThrownBy(() -> plain.created.post(add(1, 1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> plain.created.post(new WorkRequest.ImmediateData(1, 1, false)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(plain.created.atomicity()).isEqualTo(AtomicityScope.NONE);
        TestLink noOrd =
                TestLink.open(new ConnectOptions(ByteBuffer.allocate(0), 2, 0).with(RdmaExtension.ATOMIC_OPERATIONS));
        assertThatThrownBy(() -> noOrd.created.post(add(1, 1))).isInstanceOf(IllegalStateException.class);
        assertThat(noOrd.created.atomicity()).isEqualTo(AtomicityScope.HOST);
        assertThatThrownBy(() -> noOrd.created.post(new WorkRequest.ImmediateData(1, 1, false)))
                .isInstanceOf(IllegalStateException.class);
    }
}
