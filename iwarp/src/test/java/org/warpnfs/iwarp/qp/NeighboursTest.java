package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionQueue;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Streams that share only one RNIC. The actions of one peer do not affect the others. */
class NeighboursTest {
    private final LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
    private final TestLink link = TestLink.openOn(rnic, TestLink.OPTIONS.with(RdmaExtension.values()));
    private final TestLink neighbour = TestLink.openOn(rnic, TestLink.OPTIONS.with(RdmaExtension.values()));

    private static String readRequest(int msn, MemoryRegion source) {
        return String.format(
                "4141 00000000 00000001 %08x 00000000 00000051 0000000000000000 00000004 %08x 0000000000000000",
                msn, source.stag());
    }

    private static MemoryRegion region(TestLink owner, AccessRight... rights) {
        return owner.created.register(ByteBuffer.allocateDirect(16), EnumSet.of(rights[0], rights));
    }

    private void expectNeighbourFine() {
        assertThat(neighbour.reason).isNull();
        assertThat(neighbour.closed).isFalse();
        neighbour.created.postReceive(9, ByteBuffer.allocate(1));
        neighbour.fpdu("4143 00000000 00000000 00000002 00000000 bb");
        assertThat(neighbour.completions).extracting(Completion::workRequestId).containsExactly(9L);
        neighbour.writes.clear();
        neighbour.created.post(WorkRequest.Send.of(10, ByteBuffer.allocate(1)));
        neighbour.created.flush();
        assertThat(neighbour.writes).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"we terminate", "the peer terminates", "the link is lost", "we abort", "the peer ends"})
    void oneEnds_theOtherGoesOn(String how) {
        MemoryRegion region = region(neighbour, AccessRight.REMOTE_WRITE);
        switch (how) {
            case "we terminate" -> link.fpdu("c140 0000dead 0000000000000000 aa");
            case "the peer terminates" -> link.fpdu("4147 00000000 00000002 00000001 00000000 1100 0000");
            case "the link is lost" -> link.machine.linkLost("reset");
            case "we abort" -> link.created.abort("enough");
            default -> link.machine.receivedEnd();
        }
        link.runTasks();
        assertThat(link.reason).isNotNull();
        assertThat(region.valid()).isTrue();
        neighbour.fpdu(String.format("c140 %08x 0000000000000000 aa", region.stag()));
        assertThat(region.memory().get(0)).isEqualTo((byte) 0xaa);
        expectNeighbourFine();
    }

    /** IRD is 2. */
    @Test
    void oneFillsItsIrd_theOtherHasItsOwn() {
        MemoryRegion source = region(link, AccessRight.REMOTE_READ);
        MemoryRegion others = region(neighbour, AccessRight.REMOTE_READ);
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        link.created.flush();
        link.fpdu(readRequest(1, source));
        link.fpdu(readRequest(2, source));
        assertThat(link.reason).isNull();
        for (int msn = 1; msn <= 10; msn++) {
            neighbour.fpdu(readRequest(msn, others));
            assertThat(neighbour.takeWrite()).startsWith("0012" + "c142");
        }
        link.fpdu(readRequest(3, source));
        assertThat(link.created.connected()).isFalse();
        expectNeighbourFine();
    }

    @Test
    void inboundReadsOfAll_areTakenForEachStreamAndGivenBackAtItsEnd() {
        assertThat(rnic.inboundReads().used()).isEqualTo(4);
        link.created.abort("enough");
        link.runTasks();
        assertThat(rnic.inboundReads().used()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void atomicOnAnStagOfTheNeighbour_isRefusedAndUntouched(boolean ofADomain) {
        MemoryRegion target = ofADomain
                ? rnic.createProtectionDomain()
                        .register(ByteBuffer.allocateDirect(16), EnumSet.of(AccessRight.REMOTE_ATOMIC))
                : region(neighbour, AccessRight.REMOTE_ATOMIC);
        link.fpdu("414a 00000000 00000001 00000001 00000000 00000000 00000009"
                + String.format("%08x", target.stag())
                + "0000000000000000 0000000000000003 0000000000000000 0000000000000000 0000000000000000");
        // RDMAP protection error "STag not associated with RDMAP Stream". The peer is not told whose STag it is.
        assertThat(link.takeWrite()).startsWith("002a" + "4147000000000000000200000001000000000103c000");
        assertThat(target.memory().getLong(0)).isZero();
        assertThat(target.valid()).isTrue();
        expectNeighbourFine();
    }

    /** The same segment is tested where its STag is valid and where it is not. */
    @Test
    void tagged_isPlacedOnlyWhereItsStagIsValid() {
        MemoryRegion target = region(neighbour, AccessRight.REMOTE_WRITE);
        String segment = String.format("c140 %08x 0000000000000004 aabbccdd", target.stag());
        link.fpdu(segment);
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(target.memory().getInt(4)).isZero();
        neighbour.fpdu(segment);
        assertThat(target.memory().getInt(4)).isEqualTo(0xaabbccdd);
        assertThat(neighbour.reason).isNull();
        target.memory().putInt(4, 0);
        target.invalidate();
        neighbour.fpdu(segment);
        assertThat(neighbour.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(target.memory().getInt(4)).isZero();
    }

    @Test
    void emptyTaggedSegment_anyStagAnyOffset_isTaken() {
        MemoryRegion others = region(neighbour, AccessRight.REMOTE_READ);
        link.fpdu("c140 deadbeef ffffffffffffffff");
        link.fpdu(String.format("c140 %08x 7fffffffffffffff", others.stag()));
        link.fpdu("8140 00000000 0000000000000000");
        link.fpdu("c140 00000000 0000000000000000");
        assertThat(link.reason).isNull();
        assertThat(link.completions).isEmpty();
        // With one byte of payload the STag is checked.
        link.fpdu("c140 deadbeef ffffffffffffffff aa");
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
    }

    @Test
    void completionsOfEach_goToItsOwnQueueOnly() {
        CompletionQueue ours = rnic.createCompletionQueue(8, () -> {});
        CompletionQueue theirs = rnic.createCompletionQueue(8, () -> {});
        List<TestLink> links = new ArrayList<>();
        for (CompletionQueue queue : List.of(ours, theirs)) {
            TestLink made = TestLink.openOn(rnic, TestLink.OPTIONS.completingTo(queue));
            made.created.post(WorkRequest.Send.of(7, ByteBuffer.allocate(1)));
            made.created.flush();
            made.runTasks();
            links.add(made);
        }
        for (int i = 0; i < 2; i++) {
            CompletionQueue queue = i == 0 ? ours : theirs;
            assertThat(queue.size()).isEqualTo(2);
            while (queue.size() > 0) {
                assertThat(queue.poll().queuePair()).isSameAs(links.get(i).created);
            }
            assertThat(links.get(i).completions).isEmpty();
        }
    }
}
