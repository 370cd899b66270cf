package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * Defects at our end of a stream. The peer is sent a Terminate, and other streams go on (RFC 5040, sections 4.8 and
 * 7.1).
 */
class DefectTest {
    private static final String BARE_TERMINATE =
            "4147" + "00000000" + "00000002" + "00000001" + "00000000" + "00000000";

    @Test
    void upperLayerThrows_peerIsToldOfALocalCatastrophe_otherStreamsGoOn() {
        RawPeer other = RawPeer.open();
        TestLink[] us = new TestLink[1];
        QueuePairHandler broken = new QueuePairHandler() {
            @Override
            public void created(QueuePair queuePair) {
                us[0].created(queuePair);
            }

            @Override
            public void established(QueuePair queuePair) {}

            @Override
            public void completed(QueuePair queuePair, Completion completion) {
                if (completion.status() == CompletionStatus.SUCCESS) {
                    throw new IllegalStateException("a defect for the test");
                }
            }

            @Override
            public void disconnected(QueuePair queuePair, DisconnectReason reason) {
                us[0].disconnected(queuePair, reason);
            }
        };
        us[0] = TestLink.responder(QueuePairConfig.defaults(), request -> request.accept(TestLink.OPTIONS, broken));
        us[0].in(TestLink.REQUEST);
        us[0].writes.clear();
        us[0].created.postReceive(1, ByteBuffer.allocate(4));
        us[0].fpdu("4143 00000000 00000000 00000001 00000000");
        assertThat(us[0].takeWrite()).isEqualTo("0016" + BARE_TERMINATE + "00000000");
        assertThat(us[0].reason.cause()).isEqualTo(Cause.INTERNAL_ERROR);
        assertThat(us[0].outputEnded).isTrue();
        assertThat(us[0].bugs).hasSize(1);
        other.receive(4);
        other.send("43", "aa");
        other.assertFine();
        assertThat(other.link.completions).hasSize(1);
    }

    /** Errors that occur when memory is short, or when a mapped file has become shorter than its mapping. */
    static Stream<Error> errors() {
        return Stream.of(
                new InternalError("for the test"), new OutOfMemoryError("for the test"), new Error("for the test"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void upperLayerThrowsAnError_whereverItIsCalled_endsThatStreamAlike(Error error) {
        RawPeer inTask = RawPeer.open();
        inTask.link.created.execute(() -> {
            throw error;
        });
        inTask.link.runTasks();
        RawPeer inUpcall = RawPeer.open();
        inUpcall.link.whenDrained = () -> {
            throw error;
        };
        inUpcall.receive(4);
        inUpcall.send("43", "aa");
        for (RawPeer peer : List.of(inTask, inUpcall)) {
            assertThat(peer.ulpdu()).isEqualTo(BARE_TERMINATE);
            assertThat(peer.link.reason.cause()).isEqualTo(Cause.INTERNAL_ERROR);
            assertThat(peer.link.bugs).containsExactly(error);
        }
    }

    @Test
    void messageCannotBeMade_theTerminateGoesOutInItsPlace() {
        RawPeer peer = RawPeer.open();
        peer.link.socketTakes = false;
        ByteBuffer source = ByteBuffer.allocateDirect(2 << 20);
        peer.link.created.post(new WorkRequest.RdmaWrite(1, List.of(source), new RemoteMemory(1, 0)));
        peer.link.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(1)));
        peer.link.created.flush();
        peer.ulpdus();
        // The upper layer changes a posted buffer, against the contract.
        source.limit(0);
        peer.link.socketTakes = true;
        peer.link.releaseHeld();
        assertThat(peer.ulpdu()).isEqualTo(BARE_TERMINATE);
        assertThat(peer.link.reason.cause()).isEqualTo(Cause.INTERNAL_ERROR);
        assertThat(peer.link.completions).noneMatch(done -> done.status() == CompletionStatus.SUCCESS);
        assertThat(peer.link.outputEnded).isTrue();
    }
}
