package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.rdmap.TerminateError;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** The counters of streams: FPDUs in both directions, wrong CRCs, and Terminates by cause. */
class StreamCountsTest {
    private final LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
    private final StreamCounts counts = rnic.streams();

    @Test
    void fpdus_bothWays_areCounted() {
        TestLink link = TestLink.openOn(rnic, TestLink.OPTIONS);
        assertThat(counts.fpdusReceived()).isEqualTo(1);
        link.created.postReceive(101, ByteBuffer.allocate(8));
        link.fpdu("4143 00000000 00000000 00000002 00000000 aabb");
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.wrap(new byte[] {1, 2})));
        link.created.flush();
        link.runTasks();
        assertThat(link.writes).hasSize(1);
        assertThat(counts.fpdusReceived()).isEqualTo(2);
        assertThat(counts.fpdusSent())
                .as("64 KiB, as long as no segments are known")
                .containsExactly(0L, 0L, 1L);
    }

    @ParameterizedTest
    @CsvSource({"1448, 0", "2048, 0", "2052, 1", "8948, 1", "16384, 1", "16388, 2", "65483, 2"})
    void fpdus_sent_areCountedByTheLongestOfTheirConnection(int segmentBytes, int sizeClass) {
        TestLink link = TestLink.openOn(rnic, TestLink.OPTIONS);
        link.machine.fitSegments(segmentBytes);
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.wrap(new byte[] {1, 2})));
        link.created.flush();
        List<Long> expected = new ArrayList<>(List.of(0L, 0L, 0L));
        expected.set(sizeClass, 1L);
        assertThat(counts.fpdusSent()).isEqualTo(expected);
    }

    @Test
    void badSegment_isATerminateOfItsCause() {
        TestLink link = TestLink.openOn(rnic, TestLink.OPTIONS);
        link.fpdu("4143 00000000 00000003 00000001 00000000");
        assertThat(counts.terminatesSent()).hasSize(1).containsEntry(new TerminateCause("ddp", "untagged_qn"), 1L);
        assertThat(counts.crcErrors()).isZero();
        // Nothing that comes later is counted again.
        link.in("ffff".repeat(40));
        link.created.abort("too late");
        assertThat(counts.terminatesSent()).hasSize(1).containsValue(1L);
    }

    @Test
    void wrongCrc_isCountedAndTold() {
        QueuePairConfig config = QueuePairConfig.defaults().withCrcPolicy(CrcPolicy.REQUIRED);
        TestLink link = TestLink.responder(rnic, config, null);
        link.in(TestLink.REQUEST);
        link.fpdu("4143 00000000 00000000 00000001 00000000");
        assertThat(counts.crcErrors()).isEqualTo(1);
        assertThat(counts.fpdusReceived()).isZero();
        assertThat(counts.terminatesSent()).containsEntry(new TerminateCause("llp", "crc"), 1L);
    }

    @Test
    void terminateFromThePeer_isCountedByItsCause() {
        TestLink link = TestLink.openOn(rnic, TestLink.OPTIONS);
        link.fpdu("4147 00000000 00000002 00000001 00000000 0101 0000");
        assertThat(counts.terminatesReceived()).containsEntry(new TerminateCause("rdma", "protection_bounds"), 1L);
    }

    /** The phases that streams are in, without empty ones. */
    private Map<StreamPhase, Long> phases() {
        Map<StreamPhase, Long> streams = new EnumMap<>(counts.streams());
        streams.values().removeIf(count -> count == 0);
        return streams;
    }

    @Test
    void stream_fromStartupToItsEnd_isInOnePhaseAtATime() {
        TestLink link = TestLink.responder(
                rnic, QueuePairConfig.defaults(), request -> request.accept(TestLink.OPTIONS, new QuietEnd()));
        assertThat(phases()).containsOnly(entry(StreamPhase.NEGOTIATING, 1L));
        link.in(TestLink.REQUEST);
        assertThat(phases()).containsOnly(entry(StreamPhase.AWAITING_FIRST, 1L));
        TestLink second = TestLink.openOn(rnic, TestLink.OPTIONS);
        assertThat(phases()).containsOnly(entry(StreamPhase.AWAITING_FIRST, 1L), entry(StreamPhase.ESTABLISHED, 1L));
        link.close();
        second.socketTakes = false;
        second.fpdu("4143 00000000 00000003 00000001 00000000");
        assertThat(phases()).containsOnly(entry(StreamPhase.TERMINATING, 1L));
        second.releaseHeld();
        assertThat(phases()).containsOnly(entry(StreamPhase.LINGERING, 1L));
        second.close();
        assertThat(phases()).isEmpty();
    }

    @Test
    void stream_whosePeerHasEndedItsDirection_isHalfClosed() {
        TestLink link = TestLink.openOn(rnic, TestLink.OPTIONS);
        link.staysHalfClosed = true;
        link.machine.receivedEnd();
        link.runTasks();
        assertThat(phases()).containsOnly(entry(StreamPhase.HALF_CLOSED, 1L));
        link.created.disconnect();
        link.runTasks();
        link.close();
        assertThat(phases()).isEmpty();
    }

    /** A connection that was never established is not counted. */
    @Test
    void connectionThatIsNotMade_leavesNothing() {
        TestLink link = TestLink.waiting(QueuePairConfig.defaults(), TestLink.OPTIONS);
        link.machine.linkLost("refused");
        assertThat(phases()).isEmpty();
    }

    @Test
    void regions_areCountedFromRegistrationToInvalidation() {
        TestLink link = TestLink.openOn(rnic, TestLink.OPTIONS);
        MemoryRegion first = link.created.register(ByteBuffer.allocate(8), Set.of(AccessRight.LOCAL_WRITE));
        link.created.register(ByteBuffer.allocate(8), Set.of(AccessRight.LOCAL_WRITE));
        first.invalidate();
        assertThat(rnic.registry().registrations()).isEqualTo(2);
        assertThat(rnic.registry().invalidations()).isEqualTo(1);
        link.close();
        assertThat(rnic.registry().invalidations()).as("with their stream").isEqualTo(2);
    }

    private static final class QuietEnd implements QueuePairHandler {
        @Override
        public void created(QueuePair queuePair) {}

        @Override
        public void established(QueuePair queuePair) {}

        @Override
        public void completed(QueuePair queuePair, Completion completion) {}

        @Override
        public void disconnected(QueuePair queuePair, DisconnectReason reason) {}
    }

    /** A peer may send any numbers. They do not create additional causes. */
    @Test
    void causes_ofAnyNumbers_areFew() {
        List<TerminateCause> found = IntStream.range(0, 1 << 16)
                .mapToObj(bits -> TerminateCause.of(new TerminateError(bits >> 12, (bits >> 8) & 0xf, bits & 0xff)))
                .distinct()
                .toList();
        assertThat(TerminateCause.all()).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(found);
    }
}
