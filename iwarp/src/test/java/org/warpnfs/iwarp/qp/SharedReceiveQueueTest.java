package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.SharedReceiveQueue;

/** Receives shared by several queue pairs, and how many of them one peer can take. */
class SharedReceiveQueueTest {
    private static final int DEPTH = 8;
    private static final int SHARE = 3;

    private final LocalRnic rnic = new LocalRnic(new Random(1), new RnicLimits(0, 100, 10_000, 100));
    private final SharedReceiveQueue queue = rnic.createSharedReceiveQueue(DEPTH, SHARE);
    private final TestLink greedy = connected();
    private final TestLink modest = connected();

    private TestLink connected() {
        TestLink[] self = new TestLink[1];
        self[0] = TestLink.responder(
                rnic,
                QueuePairConfig.defaults(),
                request -> request.accept(TestLink.OPTIONS.receivingFrom(queue), self[0]));
        self[0].in(TestLink.REQUEST);
        self[0].writes.clear();
        return self[0];
    }

    private void post(int from, int count) {
        for (int id = from; id < from + count; id++) {
            queue.postReceive(id, ByteBuffer.allocate(4));
        }
    }

    private static void send(TestLink link, int msn) {
        link.fpdu(String.format("4143 00000000 00000000 %08x 00000000 aabbccdd", msn));
    }

    private static List<Long> received(TestLink link) {
        return link.completions.stream()
                .filter(done -> done.status() == CompletionStatus.SUCCESS)
                .map(Completion::workRequestId)
                .toList();
    }

    @Test
    void messages_ofSeveralQueuePairs_takeReceivesInTheOrderOfTheirBeginning() {
        post(1, 4);
        send(greedy, 1);
        send(modest, 1);
        // The message has begun and not ended. Its receive is not given to the next one.
        greedy.fpdu("0143 00000000 00000000 00000002 00000000 aabb");
        send(modest, 2);
        greedy.fpdu("4143 00000000 00000000 00000002 00000002 ccdd");
        assertThat(received(greedy)).containsExactly(1L, 3L);
        assertThat(received(modest)).containsExactly(2L, 4L);
        assertThat(Hex.of(((Completion.Received) greedy.completions.getLast()).buffer()))
                .isEqualTo("aabbccdd");
        assertThat(queue.size()).isZero();
    }

    @Test
    void onePeerFloods_itsShareIsTheMostItGets_othersStillReceive() {
        post(1, DEPTH);
        for (int msn = 1; msn <= SHARE + 1; msn++) {
            send(greedy, msn);
        }
        assertThat(received(greedy)).hasSize(SHARE);
        assertThat(greedy.takeWrite().substring(40, 44)).isEqualTo("1202");
        assertThat(rnic.sharedReceiveRefusals()).isEqualTo(1);
        assertThat(queue.size()).isEqualTo(DEPTH - SHARE);
        for (int msn = 1; msn <= SHARE; msn++) {
            send(modest, msn);
        }
        assertThat(received(modest)).hasSize(SHARE);
        assertThat(modest.reason).isNull();
    }

    @Test
    void streamEnds_whatItHadTakenIsNobodysAndItsIdsMayBePostedAgainOrNot() {
        post(1, DEPTH);
        send(greedy, 1);
        send(greedy, 2);
        send(modest, 1);
        assertThat(((SharedReceives) queue).takenCount()).isEqualTo(3);
        greedy.machine.linkLost("gone");
        assertThat(((SharedReceives) queue).takenCount()).isEqualTo(1);
        post(1, 1);
        post(100, 1);
        assertThat(queue.size()).isEqualTo(DEPTH - 1);
        // The other queue pair still holds the receives that it had taken.
        send(modest, 2);
        send(modest, 3);
        send(modest, 4);
        assertThat(received(modest)).hasSize(SHARE);
    }

    @Test
    void receiveGivenBack_makesRoomInItsTakersShare() {
        post(1, DEPTH);
        for (int msn = 1; msn <= 3 * SHARE; msn++) {
            send(greedy, msn);
            queue.postReceive(received(greedy).getLast(), ByteBuffer.allocate(4));
        }
        assertThat(received(greedy)).hasSize(3 * SHARE);
        assertThat(greedy.reason).isNull();
        assertThat(queue.size()).isEqualTo(DEPTH);
    }

    @Test
    void queueEmpty_messageEndsItsStreamAlone() {
        send(greedy, 1);
        assertThat(greedy.takeWrite().substring(40, 44)).isEqualTo("1202");
        assertThat(modest.reason).isNull();
        post(1, 1);
        send(modest, 1);
        assertThat(received(modest)).containsExactly(1L);
    }

    @Test
    void streamEnds_onlyTheReceiveThatItsMessageHadBegunIsFlushed() {
        post(1, 3);
        greedy.fpdu("0143 00000000 00000000 00000001 00000000 aabb");
        greedy.created.abort("enough");
        greedy.runTasks();
        assertThat(greedy.completions)
                .extracting(Completion::workRequestId, Completion::status)
                .containsExactly(tuple(1L, CompletionStatus.FLUSHED));
        assertThat(queue.size()).isEqualTo(2);
        send(modest, 1);
        assertThat(received(modest)).containsExactly(2L);
    }

    @Test
    void armLimit_fewerReceivesWait_isToldOnceAndInATurnOfItsOwn() {
        List<Integer> told = new ArrayList<>();
        post(1, 4);
        queue.armLimit(3, () -> {
            told.add(queue.size());
            // The callback is meant for posting receives.
            post(10, 1);
        });
        send(greedy, 1);
        assertThat(told).isEmpty();
        send(modest, 1);
        assertThat(told).containsExactly(2);
        assertThat(queue.size()).isEqualTo(3);
        send(modest, 2);
        assertThat(told).hasSize(1);
        queue.armLimit(5, () -> told.add(-1));
        assertThat(told).containsExactly(2, -1);
    }

    @Test
    void postReceive_beyondDepthOrTwiceOrOnTheQueuePair_isRefused() {
        post(1, DEPTH);
        assertThatThrownBy(() -> post(100, 1))
                .isInstanceOf(LimitReachedException.class)
                .hasMessageContaining(String.valueOf(DEPTH));
        assertThatThrownBy(() -> post(1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> greedy.created.postReceive(1, ByteBuffer.allocate(4)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(rnic.receives().used()).isEqualTo(DEPTH);
    }

    @Test
    void close_givesItsRoomBackAndAcceptsNothingMore() {
        post(1, 4);
        queue.close();
        assertThat(queue.size()).isZero();
        assertThat(rnic.receives().used()).isZero();
        assertThat(rnic.receiveBytes().used()).isZero();
        assertThatThrownBy(() -> post(1, 1)).isInstanceOf(IllegalStateException.class);
        send(greedy, 1);
        assertThat(greedy.takeWrite().substring(40, 44)).isEqualTo("1202");
    }

    @Test
    void otherTransportsQueue_isRefused() {
        LocalRnic other = new LocalRnic(new Random(1), RnicLimits.defaults());
        assertThatThrownBy(() -> other.check(TestLink.OPTIONS.receivingFrom(queue)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
