package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionQueue;
import org.warpnfs.iwarp.verbs.CompletionQueue.Entry;
import org.warpnfs.iwarp.verbs.CompletionQueue.Event;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.SharedReceiveQueue;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Completions that are polled: notifications, solicited events, and a full queue. */
class CompletionQueueTest {
    private static final int CAPACITY = 6;

    private final LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
    private int notified;
    private final CompletionQueue queue = rnic.createCompletionQueue(CAPACITY, () -> notified++);
    private final TestLink link = connected(TestLink.OPTIONS.completingTo(queue));

    private TestLink connected(ConnectOptions options) {
        TestLink[] self = new TestLink[1];
        self[0] = TestLink.responder(rnic, QueuePairConfig.defaults(), request -> request.accept(options, self[0]));
        self[0].in(TestLink.REQUEST);
        self[0].writes.clear();
        return self[0];
    }

    private void postReceives(TestLink to, int count) {
        for (int id = 1; id <= count; id++) {
            to.created.postReceive(id, ByteBuffer.allocate(8));
        }
    }

    private static void send(TestLink to, int msn) {
        to.fpdu(String.format("4143 00000000 00000000 %08x 00000000 aa", msn));
    }

    private static void sendSolicited(TestLink to, int msn) {
        to.fpdu(String.format("4145 00000000 00000000 %08x 00000000 aa", msn));
    }

    private List<Completion> pollAll() {
        List<Completion> polled = new ArrayList<>();
        for (Entry entry = queue.poll(); entry != null; entry = queue.poll()) {
            polled.add(entry.completion());
        }
        return polled;
    }

    @Test
    void completions_goToTheQueueInOrder_andNotToTheHandler() {
        postReceives(link, 1);
        send(link, 1);
        link.created.post(WorkRequest.Send.of(7, ByteBuffer.allocate(1)));
        link.created.flush();
        link.runTasks();
        assertThat(queue.size()).isEqualTo(2);
        Entry first = queue.poll();
        assertThat(first.queuePair()).isSameAs(link.created);
        assertThat(first.completion()).isInstanceOf(Completion.Received.class);
        assertThat(queue.poll().completion()).isEqualTo(new Completion.Sent(7, CompletionStatus.SUCCESS));
        assertThat(queue.poll()).isNull();
        assertThat(link.completions).isEmpty();
        assertThat(link.drained).isZero();
        assertThat(link.established).isTrue();
    }

    @Test
    void arm_next_notifiesOnceUntilArmedAgain() {
        postReceives(link, 3);
        assertThat(queue.arm(Event.NEXT)).isTrue();
        assertThat(notified).isZero();
        send(link, 1);
        assertThat(notified).isEqualTo(1);
        send(link, 2);
        assertThat(notified).isEqualTo(1);
        // A completion is in the queue already, so it must be polled first.
        assertThat(queue.arm(Event.NEXT)).isFalse();
        assertThat(pollAll()).hasSize(2);
        assertThat(queue.arm(Event.NEXT)).isTrue();
        send(link, 3);
        assertThat(notified).isEqualTo(2);
    }

    @Test
    void arm_solicited_ignoresPlainMessagesAndHearsSolicitedOnes() {
        postReceives(link, 4);
        assertThat(queue.arm(Event.SOLICITED)).isTrue();
        send(link, 1);
        assertThat(notified).isZero();
        // The waiting completion is not of the armed kind.
        assertThat(queue.arm(Event.SOLICITED)).isTrue();
        sendSolicited(link, 2);
        assertThat(notified).isEqualTo(1);
        assertThat(queue.arm(Event.SOLICITED)).isFalse();
        assertThat(pollAll()).hasSize(2);
        assertThat(queue.arm(Event.SOLICITED)).isTrue();
        send(link, 3);
        assertThat(notified).isEqualTo(1);
        link.fpdu("4146 00000001 00000000 00000004 00000000");
        // The Send names an STag that it may not invalidate, so its completion is not a success.
        assertThat(notified).isEqualTo(2);
    }

    /** Immediate Data comes in two forms, one of which asks for an event (RFC 7306, section 6). */
    @Test
    void arm_solicited_ignoresPlainImmediateDataAndHearsSolicitedOnes() {
        TestLink extended = connected(TestLink.OPTIONS.completingTo(queue).with(RdmaExtension.IMMEDIATE_DATA));
        postReceives(extended, 4);
        extended.created.post(new WorkRequest.ImmediateData(9, 1, true));
        assertThat(queue.arm(Event.SOLICITED)).isTrue();
        extended.fpdu("4148 00000000 00000000 00000001 00000000 0102030405060708");
        assertThat(notified).isZero();
        // Sending solicited Immediate Data is not an event at this end either.
        extended.created.flush();
        extended.runTasks();
        assertThat(notified).isZero();
        assertThat(queue.size()).isEqualTo(2);
        assertThat(queue.arm(Event.SOLICITED)).isTrue();
        extended.fpdu("4149 00000000 00000000 00000002 00000000 1112131415161718");
        assertThat(notified).isEqualTo(1);
        assertThat(queue.arm(Event.SOLICITED)).isFalse();
        List<Completion> polled = pollAll();
        assertThat(polled).hasSize(3);
        Completion.ReceivedImmediate solicited = (Completion.ReceivedImmediate) polled.get(2);
        assertThat(solicited.solicitedEvent()).isTrue();
        assertThat(solicited.data()).isEqualTo(0x1112131415161718L);
        // A polled completion no longer counts.
        assertThat(queue.arm(Event.SOLICITED)).isTrue();
    }

    @Test
    void arm_forBothKinds_anyCompletionNotifiesOnce() {
        postReceives(link, 2);
        queue.arm(Event.NEXT);
        queue.arm(Event.SOLICITED);
        send(link, 1);
        assertThat(notified).isEqualTo(1);
        sendSolicited(link, 2);
        assertThat(notified).isEqualTo(1);
    }

    @Test
    void terminateFromThePeer_flushesAreSolicited() {
        postReceives(link, 2);
        send(link, 1);
        pollAll();
        queue.arm(Event.SOLICITED);
        link.fpdu("4147 00000000 00000002 00000001 00000000 01020000");
        assertThat(notified).isEqualTo(1);
        assertThat(pollAll()).extracting(Completion::status).containsExactly(CompletionStatus.FLUSHED);
        assertThat(link.reason).isNotNull();
    }

    @Test
    void full_postingIsRefusedAndNothingIsLost() {
        postReceives(link, CAPACITY);
        assertThatThrownBy(() -> link.created.postReceive(99, ByteBuffer.allocate(4)))
                .isInstanceOf(LimitReachedException.class)
                .hasMessageContaining(String.valueOf(CAPACITY));
        assertThatThrownBy(() -> link.created.post(WorkRequest.Send.of(99, ByteBuffer.allocate(1))))
                .isInstanceOf(LimitReachedException.class);
        for (int msn = 1; msn <= CAPACITY; msn++) {
            send(link, msn);
        }
        assertThat(queue.size()).isEqualTo(CAPACITY);
        // A completion that waits to be polled takes up an entry too.
        assertThatThrownBy(() -> link.created.postReceive(99, ByteBuffer.allocate(4)))
                .isInstanceOf(LimitReachedException.class);
        assertThat(rnic.completionRefusals()).isEqualTo(3);
        assertThat(pollAll()).extracting(Completion::workRequestId).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        link.created.postReceive(7, ByteBuffer.allocate(4));
        assertThat(link.reason).isNull();
    }

    @Test
    void full_queuePairsOfOtherQueuesGoOn() {
        CompletionQueue otherQueue = rnic.createCompletionQueue(CAPACITY, () -> {});
        TestLink other = connected(TestLink.OPTIONS.completingTo(otherQueue));
        TestLink sibling = connected(TestLink.OPTIONS.completingTo(queue));
        postReceives(link, CAPACITY);
        assertThatThrownBy(() -> sibling.created.postReceive(1, ByteBuffer.allocate(1)))
                .isInstanceOf(LimitReachedException.class);
        postReceives(other, CAPACITY);
        for (int msn = 1; msn <= CAPACITY; msn++) {
            send(other, msn);
        }
        assertThat(otherQueue.size()).isEqualTo(CAPACITY);
        assertThat(sibling.reason).isNull();
    }

    @Test
    void full_messageForASharedReceive_endsItsStreamAndLeavesTheReceive() {
        SharedReceiveQueue receives = rnic.createSharedReceiveQueue(CAPACITY + 1, CAPACITY + 1);
        TestLink sharing = connected(TestLink.OPTIONS.completingTo(queue).receivingFrom(receives));
        for (int id = 1; id <= CAPACITY + 1; id++) {
            receives.postReceive(id, ByteBuffer.allocate(4));
        }
        for (int msn = 1; msn <= CAPACITY + 1; msn++) {
            send(sharing, msn);
        }
        assertThat(sharing.takeWrite().substring(40, 44)).isEqualTo("1202");
        assertThat(receives.size()).isEqualTo(1);
        assertThat(pollAll()).hasSize(CAPACITY);
        assertThat(rnic.completionRefusals()).isEqualTo(1);
    }

    @Test
    void ended_postsAreFlushedThroughTheQueueToo() {
        link.created.abort("enough");
        link.runTasks();
        link.created.post(WorkRequest.Send.of(7, ByteBuffer.allocate(1)));
        link.created.postReceive(8, ByteBuffer.allocate(1));
        link.runTasks();
        assertThat(pollAll())
                .extracting(Completion::status)
                .containsExactly(CompletionStatus.FLUSHED, CompletionStatus.FLUSHED);
        assertThat(link.completions).isEmpty();
    }

    @Test
    void close_whileAQueuePairCompletesToIt_isRefused() {
        assertThatThrownBy(queue::close).isInstanceOf(IllegalStateException.class);
        link.created.abort("enough");
        link.runTasks();
        queue.close();
        LocalRnic other = new LocalRnic(new Random(1), RnicLimits.defaults());
        assertThatThrownBy(() -> other.check(TestLink.OPTIONS.completingTo(queue)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
