package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** The peer ends its direction of the stream while our direction still has output (RFC 5041, section 6.2.1). */
class HalfCloseTest extends BusySocket {
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
        // The upper layer is told in the turn of the end.
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
        // ORD is 4, so the last Read waits, and so does the work behind it.
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
    void peerEnds_readRequestHeldForTheNextWrite_doesNotLeave() {
        link.socketTakes = true;
        link.releaseHeld();
        link.socketTakes = false;
        link.completions.clear();
        // The Send fills a segment, so the Read Request behind it is made and held for the next batch.
        post(WorkRequest.Send.of(1, ByteBuffer.allocate(1024)), read(2), send(3));
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
        // Nothing is being sent, so there is no deadline.
        assertThat(link.machine.deadlineNanos()).isEmpty();
        link.pass(10 * CLOSE_NANOS);
        assertThat(link.outputEnded).isFalse();
        link.created.postReceive(1, ByteBuffer.allocate(4));
        post(send(2), read(3), add(4), send(5, true), send(6));
        assertThat(idsOf(CompletionStatus.FLUSHED)).containsExactly(1L, 3L, 4L, 5L, 6L);
        // The upper layer has been told that the requests are lost, so a fence has nothing to wait for any more.
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
