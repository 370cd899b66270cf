package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionQueue;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.SharedReceiveQueue;

/** Misuse by an upper layer throws an exception and changes nothing, as the package promises. */
class UpperLayerMisuseTest {
    private final LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());

    /** Refuses the request after something went wrong with it, as a careful program does. */
    private static void refuse(ConnectionRequest request) {
        request.reject(ByteBuffer.wrap(new byte[] {1}));
    }

    private void assertRefused(TestLink link) {
        assertThat(link.takeWrite()).endsWith("30020005" + "00000000" + "01");
        assertThat(link.outputEnded).isTrue();
        assertThat(link.bugs).isEmpty();
    }

    @Test
    void postReceive_readOnlyBuffer_isRefusedAndTheStreamLives() {
        RawPeer peer = RawPeer.open();
        ByteBuffer readOnly = ByteBuffer.allocate(8).asReadOnlyBuffer();
        assertThatThrownBy(() -> peer.link.created.postReceive(1, readOnly))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
        try (SharedReceiveQueue shared = rnic.createSharedReceiveQueue(2, 2)) {
            assertThatThrownBy(() -> shared.postReceive(1, readOnly)).isInstanceOf(IllegalArgumentException.class);
            assertThat(shared.size()).isZero();
        }
        peer.receive(8);
        peer.send("43", "aa");
        peer.assertFine();
        assertThat(peer.link.completions).hasSize(1);
    }

    @Test
    void invalidate_twice_isNothingTheSecondTime() {
        RawPeer peer = RawPeer.open();
        MemoryRegion region = peer.region(8, AccessRight.REMOTE_WRITE);
        region.invalidate();
        MemoryRegion next = peer.region(8, AccessRight.REMOTE_WRITE);
        region.invalidate();
        assertThat(next.valid()).isTrue();
        peer.write(next, 0, "aa");
        peer.assertFine();
    }

    @Test
    void reject_moreThanFits_isRefusedAndMayBeSaidShorter() {
        TestLink link = TestLink.responder(QueuePairConfig.defaults(), request -> {
            assertThatThrownBy(() -> request.reject(ByteBuffer.allocate(ConnectOptions.MAX_PRIVATE_DATA_BYTES + 1)))
                    .isInstanceOf(IllegalArgumentException.class);
            refuse(request);
        });
        link.in(TestLink.REQUEST);
        assertRefused(link);
    }

    @Test
    void reject_asMuchAsFits_isSentWhole() {
        TestLink link = TestLink.responder(
                QueuePairConfig.defaults(),
                request -> request.reject(ByteBuffer.allocate(ConnectOptions.MAX_PRIVATE_DATA_BYTES)));
        link.in(TestLink.REQUEST);
        assertThat(link.takeWrite()).hasSize(2 * (20 + 4 + 508)).contains("30020200" + "00000000");
    }

    @Test
    void accept_withWhatCannotBeShared_isRefusedAndTheRequestMayBeRejected() {
        CompletionQueue closed = rnic.createCompletionQueue(1, () -> {});
        closed.close();
        TestLink link = TestLink.responder(rnic, QueuePairConfig.defaults(), request -> {
            assertThatThrownBy(() -> request.accept(TestLink.OPTIONS.completingTo(closed), new Broken()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
            refuse(request);
        });
        link.in(TestLink.REQUEST);
        assertRefused(link);
    }

    @Test
    void created_throws_connectionEndsThoughWhoeverAcceptedGoesOn() {
        Broken broken = new Broken();
        TestLink link = TestLink.responder(QueuePairConfig.defaults(), request -> {
            try {
                request.accept(TestLink.OPTIONS, broken);
            } catch (IllegalStateException e) {
                assertThatThrownBy(() -> refuse(request)).isInstanceOf(IllegalStateException.class);
            }
        });
        link.in(TestLink.REQUEST);
        assertThat(link.closed).isTrue();
        assertThat(link.bugs).hasSize(1);
        assertThat(broken.ended.cause()).isEqualTo(Cause.INTERNAL_ERROR);
    }

    @Test
    void afterTheEnd_everyCall_isHarmless() {
        RawPeer peer = RawPeer.open();
        peer.link.machine.linkLost("gone");
        QueuePair ended = peer.link.created;
        MemoryRegion region = ended.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.REMOTE_WRITE));
        assertThat(region.valid()).isFalse();
        region.invalidate();
        ended.flush();
        ended.disconnect();
        ended.abort("again");
        peer.link.runTasks();
        assertThat(ended.connected()).isFalse();
        assertThat(ended.parameters().ird())
                .isEqualTo(peer.link.created.parameters().ird());
        assertThat(peer.link.bugs).isEmpty();
        assertThat(peer.link.writes).isEmpty();
    }

    /** Throws as soon as it has a queue pair. */
    private static final class Broken implements QueuePairHandler {
        private DisconnectReason ended;

        @Override
        public void created(QueuePair queuePair) {
            throw new IllegalStateException("a defect for the test");
        }

        @Override
        public void completed(QueuePair queuePair, Completion completion) {}

        @Override
        public void disconnected(QueuePair queuePair, DisconnectReason reason) {
            ended = reason;
        }
    }
}
