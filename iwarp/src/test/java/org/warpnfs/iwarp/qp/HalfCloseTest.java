package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** The peer ends its direction of the stream while ours has something to say (RFC 5041 section 6.2.1). */
class HalfCloseTest {
    private static final long CLOSE_NANOS = QueuePairConfig.defaults().closeTimeoutNanos();

    /** What has to be taken in one time to close. */
    private static final long LEAST_BYTES =
            QueuePairConfig.defaults().leastBytesPerSecond() * TimeUnit.NANOSECONDS.toSeconds(CLOSE_NANOS);

    private static final RemoteMemory REMOTE = new RemoteMemory(0x77, 0);
    private static final String READ_REQUEST =
            "4141 00000000 00000001 0000000%d 00000000 00000051 0000000000000000 %08x %08x 0000000000000000";

    private final TestLink link = TestLink.extended();
    private final MemoryRegion sink =
            link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.LOCAL_WRITE));

    /** One Send in the socket, which takes nothing more: what is posted behind it waits. */
    @BeforeEach
    void socketTakesNothing() {
        link.socketTakes = false;
        post(send(0));
        link.writes.clear();
    }

    private void post(WorkRequest... work) {
        for (WorkRequest one : work) {
            link.created.post(one);
        }
        link.created.flush();
        link.runTasks();
    }

    private void socketTakesAll() {
        link.socketTakes = true;
        link.releaseHeld();
        link.runTasks();
    }

    private void peerEnds() {
        link.machine.receivedEnd();
        link.runTasks();
    }

    private static WorkRequest send(long id) {
        return send(id, false);
    }

    private static WorkRequest send(long id, boolean fence) {
        return new WorkRequest.Send(id, List.of(ByteBuffer.allocate(0)), false, OptionalLong.empty(), fence);
    }

    private WorkRequest read(long id) {
        return new WorkRequest.RdmaRead(id, sink, 0, 1, REMOTE);
    }

    private static WorkRequest add(long id) {
        return new WorkRequest.FetchAdd(id, REMOTE, MaskedWord.addend(1), false);
    }

    private List<Long> idsOf(CompletionStatus status) {
        return link.completions.stream()
                .filter(completion -> completion.status() == status)
                .map(Completion::workRequestId)
                .toList();
    }

    /** The control octets of what has left since, message by message, in the order of leaving. */
    private List<String> messagesThatLeft() {
        List<String> controls = new ArrayList<>();
        ByteBuffer bytes = Hex.bytes(String.join("", link.writes));
        while (bytes.hasRemaining()) {
            int start = bytes.position();
            int lengthBytes = bytes.getShort(start) & 0xffff;
            boolean last = (bytes.get(start + 2) & 0x40) != 0;
            if (last) {
                controls.add(Hex.of(bytes.slice(start + 3, 1)));
            }
            bytes.position(start + 2 + lengthBytes + (-(2 + lengthBytes) & 3) + 4);
        }
        return controls;
    }

    private void expectGracefulEnd(Cause cause) {
        assertThat(link.reason.cause()).isEqualTo(cause);
        assertThat(link.outputEnded).isTrue();
        assertThat(link.closed).isTrue();
        assertThat(link.halfCloses).isEqualTo(1);
        assertThat(link.bugs).isEmpty();
        assertThat(link.machine.deadlineNanos()).isEmpty();
    }

    @Test
    void peerEnds_workPosted_leavesToItsEnd_thenOursEndsToo() {
        link.created.postReceive(50, ByteBuffer.allocate(4));
        ByteBuffer large = ByteBuffer.allocate(3 << 20);
        post(new WorkRequest.RdmaWrite(1, List.of(large), REMOTE), send(2), new WorkRequest.ImmediateData(3, 5, false));
        peerEnds();
        assertThat(link.halfCloses).isEqualTo(1);
        assertThat(link.created.connected()).isFalse();
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(50L);
        assertThat(link.outputEnded).isFalse();
        assertThat(link.closed).isFalse();
        assertThat(link.reason).isNull();

        socketTakesAll();
        assertThat(messagesThatLeft()).containsExactly("40", "43", "48");
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(0L, 1L, 2L, 3L);
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    @Test
    void peerEnds_halfClosedIsToldBehindAllThatArrived() {
        socketTakesAll();
        link.completions.clear();
        for (int id = 1; id <= 3; id++) {
            link.created.postReceive(id, ByteBuffer.allocate(4));
        }
        // Told in the turn of the end, though they were not told in a turn of their own.
        link.machine.received(Hex.bytes("0013 4143 00000000 00000000 00000002 00000000 aa 000000 00000000"
                + "0013 4143 00000000 00000000 00000003 00000000 aa 000000 00000000"));
        peerEnds();
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(1L, 2L);
        assertThat(link.completedBeforeHalfClose).isEqualTo(2);
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(3L);
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    @Test
    void peerEnds_requestsOutstandingAndWaiting_areFlushedAndTheRestLeaves() {
        socketTakesAll();
        link.writes.clear();
        // ORD is 4: the last Read and what is behind it waits.
        post(
                read(1),
                add(2),
                read(3),
                read(4),
                read(5),
                send(6),
                add(7),
                new WorkRequest.LocalInvalidate(8, sink, false));
        assertThat(messagesThatLeft()).containsExactly("41", "4a", "41", "41");
        link.writes.clear();
        link.completions.clear();
        peerEnds();
        assertThat(messagesThatLeft()).containsExactly("43");
        assertThat(link.completions)
                .extracting(Completion::workRequestId)
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(6L, 8L);
        assertThat(sink.valid()).isFalse();
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    @Test
    void peerEnds_readRequestHeldForAWriteOfItsOwn_doesNotLeave() {
        link.socketTakes = true;
        link.releaseHeld();
        link.socketTakes = false;
        link.completions.clear();
        // The Send fills a batch, so that the Read Request behind it is made and held.
        post(send(1), read(2), send(3));
        link.writes.clear();
        peerEnds();
        socketTakesAll();
        assertThat(messagesThatLeft()).containsExactly("43");
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(1L, 3L);
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(2L);
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    @Test
    void peerEnds_fencedBehindALostRequest_isFlushedWithAllBehindIt() {
        post(
                send(1),
                send(2, true),
                read(3),
                send(4),
                send(5, true),
                send(6),
                new WorkRequest.ImmediateData(7, 0, false));
        peerEnds();
        socketTakesAll();
        assertThat(messagesThatLeft()).containsExactly("43", "43", "43");
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(0L, 1L, 2L, 4L);
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(3L, 5L, 6L, 7L);
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    @Test
    void peerEnds_lostRequestToldBeforeTheFencedWorkHasItsTurn_isFlushedAllTheSame() {
        socketTakesAll();
        link.completions.clear();
        post(read(1));
        link.socketTakes = false;
        post(send(2), send(3, true), send(4));
        link.writes.clear();
        peerEnds();
        assertThat(idsOf(CompletionStatus.FLUSHED)).startsWith(1L);
        socketTakesAll();
        assertThat(messagesThatLeft()).isEmpty();
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(2L);
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(1L, 3L, 4L);
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    @Test
    void peerEnds_answersOwed_leaveBeforeOurEnd() {
        MemoryRegion source = link.created.register(
                ByteBuffer.allocateDirect(1 << 20), EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC));
        // IRD is 2.
        link.fpdu(String.format(READ_REQUEST, 1, 1 << 20, source.stag()));
        link.fpdu(String.format(
                "414a 00000000 00000001 00000002 00000000 00000000 00000009 %08x 0000000000000000"
                        + " 0000000000000003 0000000000000000 0000000000000000 0000000000000000",
                source.stag()));
        peerEnds();
        assertThat(source.valid()).isTrue();
        socketTakesAll();
        assertThat(messagesThatLeft()).containsExactly("42", "4b");
        assertThat(source.memory().order(ByteOrder.nativeOrder()).getLong(0)).isEqualTo(3);
        assertThat(source.valid()).isFalse();
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    @Test
    void halfClosed_upperLayerGoesOn_newWorkLeavesUntilItDisconnects() {
        link.staysHalfClosed = true;
        socketTakesAll();
        link.writes.clear();
        link.completions.clear();
        peerEnds();
        // Nothing is under way, so it may take its time.
        assertThat(link.machine.deadlineNanos()).isEmpty();
        link.pass(10 * CLOSE_NANOS);
        assertThat(link.outputEnded).isFalse();
        link.created.postReceive(1, ByteBuffer.allocate(4));
        post(send(2), read(3), add(4), send(5, true), send(6));
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(1L, 3L, 4L, 5L, 6L);
        // It has heard now that the requests are lost: a fence has nothing to wait for any more.
        post(send(7, true));
        assertThat(messagesThatLeft()).containsExactly("43", "43");
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(2L, 7L);
        assertThat(link.reason).isNull();
        link.created.disconnect();
        link.created.post(send(8));
        link.runTasks();
        assertThat(idsOf(CompletionStatus.FLUSHED)).contains(8L);
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    @Test
    void halfClosed_readFlushedAndNotToldYet_fencedWorkBehindItIsFlushedToo() {
        link.staysHalfClosed = true;
        socketTakesAll();
        peerEnds();
        link.writes.clear();
        link.completions.clear();
        link.created.post(read(2));
        link.created.flush();
        link.created.post(send(3, true));
        link.created.flush();
        link.runTasks();
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(2L, 3L);
        assertThat(link.writes).isEmpty();
    }

    @Test
    void halfClosed_receiveFlushedAndNotToldYet_holdsNoFencedWorkBack() {
        link.staysHalfClosed = true;
        socketTakesAll();
        peerEnds();
        post(read(2));
        link.completions.clear();
        link.created.postReceive(3, ByteBuffer.allocate(4));
        post(send(4, true));
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(4L);
    }

    @Test
    void halfClosed_lastWorkSendsNothing_isNotHeldToTheDeadline() {
        link.staysHalfClosed = true;
        peerEnds();
        post(new WorkRequest.LocalInvalidate(1, sink, false));
        socketTakesAll();
        assertThat(idsOf(CompletionStatus.SUCCESS)).contains(1L);
        assertThat(link.machine.deadlineNanos()).isEmpty();
        link.pass(10 * CLOSE_NANOS);
        assertThat(link.reason).isNull();
        link.created.disconnect();
        link.runTasks();
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    @Test
    void halfClosed_peerTakesNothing_isClosedAtTheDeadline() {
        post(send(1));
        peerEnds();
        link.pass(CLOSE_NANOS - 1);
        assertThat(link.closed).isFalse();
        link.pass(1);
        assertThat(link.closed).isTrue();
        assertThat(link.outputEnded).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.PEER_CLOSE);
        assertThat(link.reason.detail()).contains("did not take in time");
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(0L, 1L);
    }

    @Test
    void halfClosed_upperLayerGoesOnAndPeerTakesNothing_isClosedAtTheDeadlineToo() {
        link.staysHalfClosed = true;
        socketTakesAll();
        peerEnds();
        link.pass(10 * CLOSE_NANOS);
        link.socketTakes = false;
        post(send(1));
        link.pass(CLOSE_NANOS - 1);
        assertThat(link.closed).isFalse();
        link.pass(1);
        assertThat(link.closed).isTrue();
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(1L);
    }

    @Test
    void halfClosed_peerTakesSlowly_allLeavesHoweverLongItTakes() {
        post(new WorkRequest.RdmaWrite(1, List.of(ByteBuffer.allocate(5 << 20)), REMOTE), send(2));
        peerEnds();
        int times = 0;
        while (!link.held.isEmpty()) {
            take(LEAST_BYTES);
            link.pass(CLOSE_NANOS);
            times++;
        }
        assertThat(times).isGreaterThan(50);
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(0L, 1L, 2L);
        expectGracefulEnd(Cause.PEER_CLOSE);
    }

    /** A byte a minute is not taking: it would hold what was posted for ever. */
    @Test
    void halfClosed_peerTakesLessThanTheLeastRate_isClosed() {
        post(new WorkRequest.RdmaWrite(1, List.of(ByteBuffer.allocate(5 << 20)), REMOTE));
        peerEnds();
        take(LEAST_BYTES);
        link.pass(CLOSE_NANOS);
        assertThat(link.closed).isFalse();
        take(LEAST_BYTES / 2);
        link.pass(CLOSE_NANOS);
        assertThat(link.closed).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.PEER_CLOSE);
        assertThat(link.reason.detail()).contains("did not take in time");
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(1L);
    }

    @Test
    void disconnecting_peerTakesLessThanTheLeastRate_isClosed() {
        post(new WorkRequest.RdmaWrite(1, List.of(ByteBuffer.allocate(5 << 20)), REMOTE));
        link.created.disconnect();
        link.runTasks();
        take(LEAST_BYTES);
        link.pass(CLOSE_NANOS);
        assertThat(link.closed).isFalse();
        take(1);
        link.pass(CLOSE_NANOS);
        assertThat(link.closed).isTrue();
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
    }

    /** Each of its answers is progress, but so small a one that all of them together would take hours. */
    @Test
    void disconnecting_peerAnswersOneReadNowAndThen_isClosed() {
        socketTakesAll();
        post(read(1), read(2), read(3), read(4), read(5), read(6));
        link.created.disconnect();
        link.runTasks();
        int answers = 0;
        while (!link.closed) {
            assertThat(answers).isLessThan(3);
            link.pass(CLOSE_NANOS / 2);
            if (!link.closed) {
                link.fpdu(String.format("c142 %08x 0000000000000000 aa", sink.stag()));
                answers++;
            }
        }
        assertThat(answers).isEqualTo(1);
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(0L, 1L);
    }

    /** What it sends meanwhile is no answer. */
    @Test
    void disconnecting_peerAnswersNoReadButSendsOtherThings_isClosed() {
        socketTakesAll();
        for (int id = 10; id < 40; id++) {
            link.created.postReceive(id, ByteBuffer.allocate(4));
        }
        post(read(1), send(2));
        link.created.disconnect();
        link.runTasks();
        int messages = 0;
        while (!link.closed) {
            assertThat(messages).isLessThan(10);
            link.fpdu(String.format("4143 00000000 00000000 %08x 00000000 aa", 2 + messages));
            messages++;
            link.pass(CLOSE_NANOS / 4);
        }
        assertThat(messages).isEqualTo(4);
        assertThat(idsOf(CompletionStatus.FLUSHED)).contains(1L, 2L);
        assertThat(sink.valid()).isFalse();
    }

    /** A line with a long way there and back is no slow peer. */
    @Test
    void disconnecting_peerAnswersManySmallReads_allAreDone() {
        socketTakesAll();
        List<Long> ids = new ArrayList<>();
        for (long id = 1; id <= 1000; id++) {
            ids.add(id);
            link.created.post(read(id));
        }
        post();
        link.completions.clear();
        link.created.disconnect();
        link.runTasks();
        for (int answers = 0; answers < 1000; answers++) {
            link.pass(TimeUnit.MILLISECONDS.toNanos(50));
            link.fpdu(String.format("c142 %08x 0000000000000000 aa", sink.stag()));
        }
        assertThat(idsOf(CompletionStatus.SUCCESS)).isEqualTo(ids);
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
        assertThat(link.outputEnded).isTrue();
    }

    /** The socket takes so much of what it holds. */
    private void take(long bytes) {
        link.takenOfHeldBytes += bytes;
        while (!link.held.isEmpty()
                && link.takenOfHeldBytes >= link.held.element().lengthBytes()) {
            link.takenOfHeldBytes -= link.held.element().lengthBytes();
            link.machine.sent(link.held.remove());
            link.outputReady();
        }
        if (link.held.isEmpty()) {
            link.takenOfHeldBytes = 0;
        }
        link.runTasks();
    }

    @Test
    void halfClosed_linkIsLost_whatHasNotLeftIsFlushed() {
        post(send(1));
        peerEnds();
        link.machine.linkLost("connection reset");
        link.runTasks();
        assertThat(link.reason.cause()).isEqualTo(Cause.PEER_CLOSE);
        assertThat(link.reason.detail()).contains("connection reset");
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(0L, 1L);
    }

    @Test
    void halfClosed_bytesArrive_theStreamIsAborted() {
        post(send(1));
        peerEnds();
        link.in("0012 4143");
        assertThat(link.reason.cause()).isEqualTo(Cause.CONNECTION_LOST);
        assertThat(link.closed).isTrue();
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(0L, 1L);
    }

    @Test
    void halfClosed_regionRevokedWhileItIsRead_peerIsSentATerminate() {
        MemoryRegion source =
                link.created.register(ByteBuffer.wrap(new byte[2 << 20]), EnumSet.of(AccessRight.REMOTE_READ));
        link.fpdu(String.format(READ_REQUEST, 1, 2 << 20, source.stag()));
        peerEnds();
        source.invalidate();
        socketTakesAll();
        assertThat(messagesThatLeft()).containsExactly("47");
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(link.outputEnded).isTrue();
    }

    @Test
    void disconnecting_peerEnds_whatWasPostedLeavesAndItIsOurClose() {
        post(read(1), send(2));
        link.created.disconnect();
        link.runTasks();
        peerEnds();
        assertThat(link.reason).isNull();
        socketTakesAll();
        assertThat(messagesThatLeft()).containsExactly("43");
        assertThat(idsOf(CompletionStatus.SUCCESS)).containsExactly(0L, 2L);
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(1L);
        expectGracefulEnd(Cause.LOCAL_CLOSE);
    }

    @Test
    void disconnecting_peerTakesSlowly_whatWasPostedLeaves_butAnswersDoNotProlongIt() {
        post(new WorkRequest.RdmaWrite(1, List.of(ByteBuffer.allocate(3 << 20)), REMOTE));
        link.created.disconnect();
        link.runTasks();
        int batches = 0;
        while (idsOf(CompletionStatus.SUCCESS).size() < 2) {
            link.pass(CLOSE_NANOS / 3);
            assertThat(link.closed).isFalse();
            if (link.held.size() == 1 && idsOf(CompletionStatus.SUCCESS).isEmpty()) {
                readNothing(1);
            }
            release();
            batches++;
        }
        assertThat(batches).isGreaterThan(5);
        // Reads that a peer never stops to ask for do not keep us.
        for (int msn = 2; msn < 10; msn++) {
            assertThat(link.closed).isEqualTo(msn >= 6);
            readNothing(msn);
            link.pass(CLOSE_NANOS / 4);
            release();
        }
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
    }

    private void readNothing(int msn) {
        link.fpdu(String.format(READ_REQUEST, msn, 0, 0));
    }

    private void release() {
        if (!link.held.isEmpty()) {
            link.machine.sent(link.held.remove());
            link.outputReady();
        }
        link.runTasks();
    }

    @Test
    void halfClosed_beforeTheFirstFpdu_isAPeerCloseAtOnce() {
        TestLink waiting = TestLink.accepting(QueuePairConfig.defaults(), TestLink.OPTIONS);
        waiting.in(TestLink.REQUEST);
        waiting.created.post(send(1));
        waiting.writes.clear();
        waiting.machine.receivedEnd();
        waiting.runTasks();
        assertThat(waiting.writes).isEmpty();
        assertThat(waiting.halfCloses).isZero();
        assertThat(waiting.reason.cause()).isEqualTo(Cause.PEER_CLOSE);
        assertThat(waiting.completions).containsExactly(new Completion.Sent(1, CompletionStatus.FLUSHED));
    }
}
