package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** What is sent for posted work, in which order, and when it completes. */
class WorkQueueTest {
    private final TestLink link = TestLink.open();

    private MemoryRegion sink(int lengthBytes) {
        return link.created.register(ByteBuffer.allocate(lengthBytes), EnumSet.of(AccessRight.LOCAL_WRITE));
    }

    private static WorkRequest.RdmaRead read(long id, MemoryRegion sink) {
        return new WorkRequest.RdmaRead(id, sink, 0, sink.lengthBytes(), new RemoteMemory(0xabcdef01L, 0));
    }

    private void answer(MemoryRegion sink, String hex) {
        link.fpdu("c142" + String.format("%08x", sink.stag()) + "0000000000000000" + hex);
    }

    @Test
    void post_fourKindsOfSend_haveTheirOpcodesAndOneMsnEach() {
        for (boolean solicited : new boolean[] {false, true}) {
            for (OptionalLong stag : List.of(OptionalLong.empty(), OptionalLong.of(0x01020304))) {
                link.created.post(new WorkRequest.Send(1, List.of(ByteBuffer.allocate(0)), solicited, stag));
            }
        }
        link.created.flush();
        assertThat(link.takeWrite())
                .isEqualTo(String.join(
                        "",
                        "0012" + "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "00000000",
                        "0012" + "4144" + "01020304" + "00000000" + "00000002" + "00000000" + "00000000",
                        "0012" + "4145" + "00000000" + "00000000" + "00000003" + "00000000" + "00000000",
                        "0012" + "4146" + "01020304" + "00000000" + "00000004" + "00000000" + "00000000"));
    }

    @Test
    void post_messageOf2048Bytes_isCutAsInTheExamplesOfRfc5041() {
        TestLink small = TestLink.responder(QueuePairConfig.defaults().withMulpduBytes(1500), null);
        small.in(TestLink.REQUEST);
        small.created.postReceive(1, ByteBuffer.allocate(0));
        small.fpdu("4143 00000000 00000000 00000001 00000000");
        small.writes.clear();
        small.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(2048)));
        small.created.post(
                new WorkRequest.RdmaWrite(2, List.of(ByteBuffer.allocate(2048)), new RemoteMemory(7, 16_384)));
        small.created.flush();
        ByteBuffer wire = Hex.bytes(small.takeWrite());
        assertThat(Hex.of(wire.slice(0, 20)))
                .isEqualTo("05dc" + "0143" + "00000000" + "00000000" + "00000001" + "00000000");
        wire.position(1508);
        assertThat(Hex.of(wire.slice(1508, 20)))
                .isEqualTo("0248" + "4143" + "00000000" + "00000000" + "00000001" + "000005ca");
        int write = 1508 + 592;
        assertThat(Hex.of(wire.slice(write, 16))).isEqualTo("05dc" + "8140" + "00000007" + "0000000000004000");
        assertThat(Hex.of(wire.slice(write + 1508, 16))).isEqualTo("0240" + "c140" + "00000007" + "00000000000045ce");
    }

    @Test
    void post_readRequestBehindShortMessages_leavesInTheirWrite() {
        MemoryRegion sink = sink(8);
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(0)));
        link.created.post(read(2, sink));
        link.created.post(WorkRequest.Send.of(3, ByteBuffer.allocate(0)));
        link.created.flush();
        String write = link.takeWrite();
        assertThat(write).hasSize(2 * (24 + 52 + 24));
        assertThat(write.substring(2 * 24)).startsWith("002e4141");
    }

    /** Kernel siw does not survive one that lies in two segments. The least full segment has 524 bytes. */
    @Test
    void post_readRequestThatMightLieInTwoSegments_beginsAWrite() {
        MemoryRegion sink = sink(8);
        for (int payloadBytes : new int[] {524 - 52 - 24, 524 - 52 - 24 + 4}) {
            link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(payloadBytes)));
            link.created.post(read(2, sink));
        }
        link.created.flush();
        assertThat(link.writes).extracting(String::length).containsExactly(2 * (524 + 528 - 52), 2 * 52);
        assertThat(link.writes.getFirst().substring(2 * (524 - 52))).startsWith("002e4141");
        assertThat(link.writes.getLast()).startsWith("002e4141");
    }

    @Test
    void post_manyReadRequests_leaveTenInAWrite() {
        TestLink reader = TestLink.open(new ConnectOptions(ByteBuffer.allocate(0), 2, 128));
        MemoryRegion sink = reader.created.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.LOCAL_WRITE));
        for (int i = 0; i < 23; i++) {
            reader.created.post(read(i, sink));
        }
        reader.created.flush();
        assertThat(reader.writes).extracting(String::length).containsExactly(2 * 520, 2 * 520, 2 * 156);
    }

    @Test
    void post_sendBehindARead_completesAfterIt() {
        MemoryRegion sink = sink(8);
        link.created.post(read(2, sink));
        link.created.post(WorkRequest.Send.of(3, ByteBuffer.allocate(0)));
        link.created.flush();
        link.runTasks();
        assertThat(link.takeWrite()).hasSize(2 * (52 + 24));
        assertThat(link.completions).isEmpty();
        answer(sink, "1122334455667788");
        assertThat(link.completions)
                .containsExactly(
                        new Completion.ReadDone(2, CompletionStatus.SUCCESS),
                        new Completion.Sent(3, CompletionStatus.SUCCESS));
        assertThat(Hex.of(sink.memory())).isEqualTo("1122334455667788");
    }

    @Test
    void post_readsBeyondOrd_waitWithWhatIsBehindThem() {
        List<MemoryRegion> sinks = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            sinks.add(sink(1));
            link.created.post(read(i, sinks.get(i)));
        }
        link.created.post(WorkRequest.Send.of(9, ByteBuffer.allocate(0)));
        link.created.flush();
        // ORD is 4.
        assertThat(link.takeWrite()).hasSize(2 * 4 * 52);
        answer(sinks.get(0), "aa");
        assertThat(link.takeWrite()).hasSize(2 * 52);
        answer(sinks.get(1), "aa");
        String last = link.takeWrite();
        assertThat(last).hasSize(2 * (52 + 24));
        assertThat(last.substring(2 * 52)).startsWith("00124143");
    }

    @Test
    void readsOfThePeer_answeredInOrderAndInTurnWithOurMessages() {
        MemoryRegion source =
                link.created.register(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), EnumSet.of(AccessRight.REMOTE_READ));
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(0)));
        link.created.flush();
        for (int i = 1; i <= 2; i++) {
            link.fpdu(String.format(
                    "4141 00000000 00000001 0000000%d 00000000 000000%02x 0000000000000000 00000002 %08x "
                            + "000000000000000%d",
                    i, i, source.stag(), i));
            link.created.post(WorkRequest.Send.of(1 + i, ByteBuffer.allocate(0)));
        }
        link.writes.clear();
        link.socketTakes = true;
        link.releaseHeld();
        String write = link.takeWrite();
        assertThat(write).contains("0010" + "c142" + "00000001" + "0000000000000000" + "0203");
        assertThat(write).contains("0010" + "c142" + "00000002" + "0000000000000000" + "0304");
        int[] places = {
            write.indexOf("41430000000000000000" + "00000002"), write.indexOf("c14200000001"),
            write.indexOf("41430000000000000000" + "00000003"), write.indexOf("c14200000002")
        };
        assertThat(places).isSorted();
    }

    @Test
    void disconnect_postedWork_leavesFirst() {
        MemoryRegion sink = sink(1);
        link.created.postReceive(7, ByteBuffer.allocate(1));
        link.created.post(read(1, sink));
        link.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(0)));
        link.created.disconnect();
        link.created.post(WorkRequest.Send.of(3, ByteBuffer.allocate(0)));
        link.runTasks();
        assertThat(link.takeWrite()).hasSize(2 * (52 + 24));
        assertThat(link.outputEnded).isFalse();
        answer(sink, "aa");
        assertThat(link.outputEnded).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
        assertThat(link.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(
                        tuple(1L, CompletionStatus.SUCCESS),
                        tuple(2L, CompletionStatus.SUCCESS),
                        tuple(3L, CompletionStatus.FLUSHED),
                        tuple(7L, CompletionStatus.FLUSHED));
        link.machine.receivedEnd();
        assertThat(link.closed).isTrue();
    }

    @Test
    void disconnect_peerNeverAnswers_endsAtTheDeadline() {
        link.created.post(read(1, sink(1)));
        link.created.disconnect();
        link.runTasks();
        link.pass(TimeUnit.SECONDS.toNanos(5) - 1);
        assertThat(link.closed).isFalse();
        assertThat(link.completions).isEmpty();
        link.pass(1);
        assertThat(link.closed).isTrue();
        assertThat(link.completions).containsExactly(new Completion.ReadDone(1, CompletionStatus.FLUSHED));
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
    }

    @Test
    void abort_outstandingWork_isFlushedInOrderAndRegionsAreInvalid() {
        MemoryRegion sink = sink(1);
        link.created.postReceive(7, ByteBuffer.allocate(1));
        link.created.post(read(1, sink));
        link.created.flush();
        link.created.abort("enough");
        link.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(0)));
        link.runTasks();
        assertThat(link.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(
                        tuple(7L, CompletionStatus.FLUSHED),
                        tuple(1L, CompletionStatus.FLUSHED),
                        tuple(2L, CompletionStatus.FLUSHED));
        assertThat(link.reason.detail()).isEqualTo("enough");
        assertThat(sink.valid()).isFalse();
        assertThat(link.created
                        .register(ByteBuffer.allocate(1), EnumSet.noneOf(AccessRight.class))
                        .valid())
                .isFalse();
    }

    @Test
    void peerCloses_betweenMessages_isAPeerClose_insideOneALoss() {
        link.created.postReceive(7, ByteBuffer.allocate(1));
        link.machine.receivedEnd();
        assertThat(link.reason.cause()).isEqualTo(Cause.PEER_CLOSE);
        assertThat(link.closed).isTrue();
        assertThat(link.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(tuple(7L, CompletionStatus.FLUSHED));

        TestLink inFpdu = TestLink.open();
        inFpdu.in("0012 4143");
        inFpdu.machine.receivedEnd();
        assertThat(inFpdu.reason.cause()).isEqualTo(Cause.CONNECTION_LOST);

        TestLink inMessage = TestLink.open();
        inMessage.created.postReceive(7, ByteBuffer.allocate(9));
        inMessage.fpdu("0143 00000000 00000000 00000002 00000000 aa");
        inMessage.machine.receivedEnd();
        assertThat(inMessage.reason.cause()).isEqualTo(Cause.CONNECTION_LOST);
    }

    @Test
    void post_beyondTheDepths_isABugOfTheCaller() {
        QueuePairConfig config = QueuePairConfig.defaults();
        for (int i = 0; i < config.limits().receiveQueueDepth(); i++) {
            link.created.postReceive(i, ByteBuffer.allocate(0));
        }
        assertThatThrownBy(() -> link.created.postReceive(0, ByteBuffer.allocate(0)))
                .isInstanceOf(IllegalStateException.class);
        link.socketTakes = false;
        for (int i = 0; i < config.limits().sendQueueDepth(); i++) {
            link.created.post(WorkRequest.Send.of(i, ByteBuffer.allocate(0)));
        }
        assertThatThrownBy(() -> link.created.post(WorkRequest.Send.of(0, ByteBuffer.allocate(0))))
                .isInstanceOf(IllegalStateException.class);
        assertThat(link.reason).isNull();
    }

    @Test
    void post_readIntoAForeignOrDeadOrWrongRegion_isABugOfTheCaller() {
        MemoryRegion dead = sink(1);
        dead.invalidate();
        MemoryRegion foreign =
                TestLink.open().created.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.LOCAL_WRITE));
        MemoryRegion wrong = link.created.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.REMOTE_WRITE));
        for (MemoryRegion region : List.of(dead, foreign, wrong)) {
            assertThatThrownBy(() -> link.created.post(read(1, region))).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void register_beyondTheLimit_isRefused_andStagsDiffer() {
        List<Long> stags = new ArrayList<>();
        for (int i = 0; i < QueuePairConfig.defaults().limits().regions(); i++) {
            stags.add(sink(1).stag());
        }
        assertThat(stags).doesNotHaveDuplicates().doesNotContain(0L);
        assertThatThrownBy(() -> sink(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void execute_tasks_runInOrderAndTheirFlushLeaves() {
        List<Integer> ran = new ArrayList<>();
        link.created.execute(() -> ran.add(1));
        link.created.execute(() -> {
            ran.add(2);
            link.created.post(WorkRequest.Send.of(5, ByteBuffer.allocate(0)));
            link.created.flush();
        });
        assertThat(ran).isEmpty();
        link.runTasks();
        assertThat(ran).containsExactly(1, 2);
        assertThat(link.completions).containsExactly(new Completion.Sent(5, CompletionStatus.SUCCESS));
    }
}
