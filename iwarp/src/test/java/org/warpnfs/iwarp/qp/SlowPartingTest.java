package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** How long we wait, during an orderly close, for a peer that takes data or answers slowly or not at all. */
class SlowPartingTest extends BusySocket {
    /** The least number of bytes that the peer must take in one close timeout. */
    private static final long LEAST_BYTES =
            QueuePairConfig.defaults().leastBytesPerSecond() * TimeUnit.NANOSECONDS.toSeconds(CLOSE_NANOS);

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
        assertThat(link.reason.detail()).contains("not taken in time");
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

    /** A byte a minute does not count as progress. It would hold posted work for ever. */
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
        assertThat(link.reason.detail()).contains("not taken in time");
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

    /** Each answer is progress, but so little that all of them together would take hours. */
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

    /** What the peer sends meanwhile is no answer. */
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

    /** A peer behind a line with a long round trip is not slow. */
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

    /** The socket takes this number of the bytes that it holds. */
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
        // Reads that a peer never stops to request do not prolong the close.
        for (int msn = 2; msn < 10; msn++) {
            assertThat(link.closed).isEqualTo(msn >= 6);
            readNothing(msn);
            link.pass(CLOSE_NANOS / 4);
            release();
        }
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
    }

    private void release() {
        if (!link.held.isEmpty()) {
            link.machine.sent(link.held.remove());
            link.outputReady();
        }
        link.runTasks();
    }
}
