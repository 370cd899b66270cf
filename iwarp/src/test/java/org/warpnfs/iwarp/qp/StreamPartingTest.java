package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** How a stream ends (RFC 5040, sections 6.2 and 7.1): the last output, and the completion of work. */
class StreamPartingTest {
    private static final String TERMINATE = "4147 00000000 00000002 00000001 00000000";

    private final TestLink link = TestLink.extended();
    private final MemoryRegion sink =
            link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.LOCAL_WRITE));

    private void post(WorkRequest... work) {
        for (WorkRequest one : work) {
            link.created.post(one);
        }
        link.created.flush();
        link.runTasks();
    }

    private WorkRequest.RdmaRead read(long id) {
        return new WorkRequest.RdmaRead(id, sink, 0, 1, new RemoteMemory(0x77, 0));
    }

    private static WorkRequest.RdmaWrite write(long id, long offset) {
        return new WorkRequest.RdmaWrite(id, List.of(ByteBuffer.allocate(10)), new RemoteMemory(0x88, offset));
    }

    private void expectStatuses(Object... idsAndStatuses) {
        List<Object> told = new ArrayList<>();
        for (Completion completion : link.completions) {
            told.add(completion.workRequestId());
            told.add(completion.status());
        }
        assertThat(told).containsExactly(idsAndStatuses);
    }

    @Test
    void defect_onAnOpenStream_tellsThePeerByATerminateWithoutHeaders() {
        link.created.execute(() -> {
            throw new IllegalStateException("a defect");
        });
        link.runTasks();
        // RFC 5040, section 4.8: layer 0, type 0, code 0; no header is included.
        assertThat(link.takeWrite()).isEqualTo("0016" + TERMINATE.replace(" ", "") + "00000000" + "00000000");
        assertThat(link.bugs).hasSize(1);
        assertThat(link.reason.cause()).isEqualTo(Cause.INTERNAL_ERROR);
        assertThat(link.outputEnded).isTrue();
        assertThat(link.closed).isFalse();
        link.machine.receivedEnd();
        assertThat(link.closed).isTrue();
    }

    @Test
    void abort_onAnOpenStream_tellsThePeerAndLeavesNothingElse() {
        link.socketTakes = false;
        post(WorkRequest.Send.of(1, ByteBuffer.allocate(0)));
        post(WorkRequest.Send.of(2, ByteBuffer.allocate(0)));
        link.writes.clear();
        link.created.abort("enough");
        link.runTasks();
        // The Terminate follows what the socket has begun to send, and replaces the rest.
        assertThat(link.completions).isEmpty();
        assertThat(sink.valid()).isFalse();
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.takeWrite()).isEqualTo("0016" + TERMINATE.replace(" ", "") + "00000000" + "00000000");
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
        assertThat(link.reason.detail()).isEqualTo("enough");
        expectStatuses(1L, CompletionStatus.SUCCESS, 2L, CompletionStatus.FLUSHED);
        assertThat(link.outputEnded).isTrue();
        assertThat(link.closed).isFalse();
        link.machine.receivedEnd();
        assertThat(link.closed).isTrue();
    }

    @Test
    void abort_peerTakesNothing_isClosedAtTheDeadline() {
        link.socketTakes = false;
        post(WorkRequest.Send.of(1, ByteBuffer.allocate(0)));
        link.created.abort("enough");
        link.runTasks();
        link.pass(QueuePairConfig.defaults().closeTimeoutNanos());
        assertThat(link.closed).isTrue();
        assertThat(link.reason.detail()).isEqualTo("enough");
        expectStatuses(1L, CompletionStatus.FLUSHED);
    }

    @Test
    void abort_beforeTheFirstFpdu_closes_sinceNothingMayLeaveYet() {
        TestLink waiting = TestLink.accepting(QueuePairConfig.defaults(), TestLink.OPTIONS);
        waiting.in(TestLink.REQUEST);
        waiting.writes.clear();
        waiting.created.abort("enough");
        waiting.runTasks();
        assertThat(waiting.writes).isEmpty();
        assertThat(waiting.closed).isTrue();
        assertThat(waiting.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
    }

    @Test
    void abort_onAHalfClosedStream_tellsThePeer() {
        link.staysHalfClosed = true;
        link.machine.receivedEnd();
        link.created.abort("enough");
        link.runTasks();
        assertThat(link.takeWrite()).startsWith("0016" + TERMINATE.replace(" ", ""));
        assertThat(link.closed).isTrue();
    }

    @Test
    void defect_whileAMessageIsMade_sendsTheTerminateInItsPlace() {
        ByteBuffer shrinks = ByteBuffer.allocate(2 << 20);
        link.socketTakes = false;
        post(WorkRequest.Send.of(1, shrinks));
        link.writes.clear();
        // The poster changes the buffer, against the contract, after a part of the message was sent. The rest cannot be
        // read.
        shrinks.limit(0);
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.takeWrite()).isEqualTo("0016" + TERMINATE.replace(" ", "") + "00000000" + "00000000");
        assertThat(link.bugs).hasSize(1);
        expectStatuses(1L, CompletionStatus.FLUSHED);
        assertThat(link.reason.cause()).isEqualTo(Cause.INTERNAL_ERROR);
    }

    /**
     * If a defect ends the stream while a message of RFC 7306 is due, the Terminate is sent instead of the message (RFC
     * 7306, section 8.1).
     */
    @ParameterizedTest
    @ValueSource(strings = {"48", "49", "4a", "4b"})
    void defect_messageOfRfc7306IsDue_sendsTheTerminateInItsPlace(String control) {
        TestLink extended = TestLink.extended();
        MemoryRegion target =
                extended.created.register(ByteBuffer.allocateDirect(8), EnumSet.of(AccessRight.REMOTE_ATOMIC));
        extended.socketTakes = false;
        extended.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        extended.created.flush();
        switch (control) {
            case "48", "49" -> extended.created.post(new WorkRequest.ImmediateData(2, 5, control.equals("49")));
            case "4a" ->
                extended.created.post(new WorkRequest.FetchAdd(2, new RemoteMemory(1, 8), MaskedWord.addend(1), false));
            default ->
                extended.fpdu("414a 00000000 00000001 00000001 00000000 00000000 00000009"
                        + String.format("%08x", target.stag())
                        + "0000000000000000 0000000000000003 0000000000000000 0000000000000000 0000000000000000");
        }
        extended.created.flush();
        extended.created.execute(() -> {
            throw new IllegalStateException("a defect");
        });
        extended.runTasks();
        extended.writes.clear();
        extended.socketTakes = true;
        extended.releaseHeld();
        assertThat(extended.takeWrite()).isEqualTo("0016" + TERMINATE.replace(" ", "") + "00000000" + "00000000");
        assertThat(extended.reason.cause()).isEqualTo(Cause.INTERNAL_ERROR);
        assertThat(target.memory().getLong(0)).isZero();
        if (!control.equals("4b")) {
            assertThat(extended.completions.getLast().workRequestId()).isEqualTo(2);
            assertThat(extended.completions.getLast().status()).isEqualTo(CompletionStatus.FLUSHED);
        }
    }

    /** The only one of these messages that can fail by itself, because its memory is revoked while it is due. */
    @Test
    void atomicResponse_targetRevokedWhileItIsDue_sendsTheTerminateInItsPlace() {
        TestLink extended = TestLink.extended();
        MemoryRegion target =
                extended.created.register(ByteBuffer.allocateDirect(8), EnumSet.of(AccessRight.REMOTE_ATOMIC));
        extended.socketTakes = false;
        extended.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        extended.created.flush();
        extended.fpdu("414a 00000000 00000001 00000001 00000000 00000000 00000009"
                + String.format("%08x", target.stag())
                + "0000000000000000 0000000000000003 0000000000000000 0000000000000000 0000000000000000");
        target.invalidate();
        extended.writes.clear();
        extended.socketTakes = true;
        extended.releaseHeld();
        assertThat(extended.takeWrite()).startsWith("002a" + TERMINATE.replace(" ", "") + "0100c000");
        assertThat(extended.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
    }

    @Test
    void defect_beforeTheFirstFpdu_closes_sinceNothingMayLeaveYet() {
        TestLink waiting = TestLink.accepting(QueuePairConfig.defaults(), TestLink.OPTIONS);
        waiting.in(TestLink.REQUEST);
        waiting.writes.clear();
        waiting.created.execute(() -> {
            throw new IllegalStateException("a defect");
        });
        waiting.runTasks();
        assertThat(waiting.writes).isEmpty();
        assertThat(waiting.closed).isTrue();
        assertThat(waiting.reason.cause()).isEqualTo(Cause.INTERNAL_ERROR);
    }

    @Test
    void peersTerminate_namesOneOfSeveralReads_thatOneFails() {
        post(read(1), read(2), read(3));
        link.writes.clear();
        link.fpdu(TERMINATE + "01 00 e0 00 002e" + "4141 00000000 00000001 00000002 00000000" + "00".repeat(28));
        expectStatuses(1L, CompletionStatus.FLUSHED, 2L, CompletionStatus.REMOTE_ERROR, 3L, CompletionStatus.FLUSHED);
        assertThat(link.writes).isEmpty();
    }

    @Test
    void peersTerminate_namesASendBehindARead_thatSendFails() {
        post(read(1), WorkRequest.Send.of(2, ByteBuffer.allocate(0)), WorkRequest.Send.of(3, ByteBuffer.allocate(0)));
        link.fpdu(TERMINATE + "12 02 c0 00 0012" + "4143 00000000 00000000 00000002 00000000");
        // The socket had taken both Sends, but they were not reported, because the Read before them was not complete.
        expectStatuses(1L, CompletionStatus.FLUSHED, 2L, CompletionStatus.FLUSHED, 3L, CompletionStatus.REMOTE_ERROR);
    }

    @Test
    void peersTerminate_namesAWriteByStagAndOffset_thatWriteFails() {
        post(read(1), write(2, 0), write(3, 100), write(4, 200));
        link.fpdu(TERMINATE + "11 01 c0 00 0018" + "c140 00000088 0000000000000069");
        expectStatuses(
                1L,
                CompletionStatus.FLUSHED,
                2L,
                CompletionStatus.FLUSHED,
                3L,
                CompletionStatus.REMOTE_ERROR,
                4L,
                CompletionStatus.FLUSHED);
    }

    @Test
    void peersTerminate_asTheFirstMessage_whatIsPostedWhenEstablishedCompletesBeforeTheEnd() {
        TestLink waiting = TestLink.accepting(QueuePairConfig.defaults(), TestLink.OPTIONS);
        waiting.in(TestLink.REQUEST);
        waiting.whenEstablished = () -> {
            waiting.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
            waiting.created.postReceive(2, ByteBuffer.allocate(1));
        };
        // The link checks that nothing completes after the end.
        waiting.fpdu(TERMINATE + "00 00 00 00");
        assertThat(waiting.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(tuple(1L, CompletionStatus.FLUSHED), tuple(2L, CompletionStatus.FLUSHED));
        assertThat(waiting.reason.cause()).isEqualTo(Cause.PEER_TERMINATE);
        assertThat(waiting.bugs).isEmpty();
    }

    @Test
    void peersTerminate_namesNothing_allIsFlushed() {
        post(read(1), write(2, 0));
        link.fpdu(TERMINATE + "00 00 00 00");
        expectStatuses(1L, CompletionStatus.FLUSHED, 2L, CompletionStatus.FLUSHED);
    }

    @Test
    void peersTerminate_inTheOrderOfLinux_namesTheRead() {
        post(read(1), read(2));
        // The nibbles and flags are exchanged, as siw does on a little-endian machine.
        link.fpdu(TERMINATE + "10 00 07 00 002e" + "4141 00000000 00000001 00000001 00000000" + "00".repeat(28));
        expectStatuses(1L, CompletionStatus.REMOTE_ERROR, 2L, CompletionStatus.FLUSHED);
    }

    @Test
    void disconnect_answersToThePeersReads_leaveFirst() {
        MemoryRegion readable = link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.REMOTE_READ));
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(0)));
        link.created.flush();
        link.fpdu("4141 00000000 00000001 00000001 00000000 00001000 0000000000000010 00000004"
                + String.format("%08x", readable.stag()) + "0000000000000000");
        link.created.disconnect();
        link.runTasks();
        assertThat(link.outputEnded).isFalse();
        link.writes.clear();
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.takeWrite()).startsWith("0012c142");
        assertThat(link.outputEnded).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
    }

    @Test
    void terminateAgainstSiw_leavesInAWriteOfItsOwn() {
        // siw decodes a Terminate only if it arrives in one piece.
        link.socketTakes = false;
        post(WorkRequest.Send.of(1, ByteBuffer.allocate(0)));
        post(WorkRequest.Send.of(2, ByteBuffer.allocate(0)));
        link.fpdu("c040 00000001 0000000000000000 aa");
        link.writes.clear();
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.takeWrite()).startsWith("0026" + TERMINATE.replace(" ", "") + "1104c000");
        expectStatuses(1L, CompletionStatus.SUCCESS, 2L, CompletionStatus.FLUSHED);
    }

    @Test
    void everyWriteToSiw_isAMultipleOfFourBytes_withoutCrcUnlessAsked() {
        TestLink siw = TestLink.accepting(QueuePairConfig.defaults(), new ConnectOptions(ByteBuffer.allocate(8), 2, 4));
        siw.in(TestLink.REQUEST);
        // The flags byte has enhanced setup and no CRC, as in the request. 12 bytes of private data include the block.
        assertThat(siw.writes.getFirst()).hasSize(2 * 32).contains("1002000c");
        siw.created.postReceive(1, ByteBuffer.allocate(0));
        siw.fpdu("4143 00000000 00000000 00000001 00000000");
        for (int lengthBytes = 0; lengthBytes < 9; lengthBytes++) {
            siw.created.post(WorkRequest.Send.of(lengthBytes, ByteBuffer.allocate(lengthBytes)));
            siw.created.post(new WorkRequest.RdmaWrite(
                    lengthBytes, List.of(ByteBuffer.allocate(70_000 + lengthBytes)), new RemoteMemory(1, 0)));
        }
        siw.created.flush();
        siw.runTasks();
        assertThat(siw.writes).hasSizeGreaterThan(2).allMatch(wire -> wire.length() % 8 == 0);
        assertThat(siw.completions).extracting(Completion::status).containsOnly(CompletionStatus.SUCCESS);
        assertThat(siw.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .contains(tuple(8L, CompletionStatus.SUCCESS));
    }
}
