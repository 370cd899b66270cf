package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.MemoryRegion;

/** Limits on what one queue pair may take, and on all of them together. */
class LimitsTest {
    /** Less than any claimed length, and more than a Terminate and its bookkeeping take. */
    private static final long MOST_ALLOCATED_BYTES = 48 << 10;

    private static final EnumSet<AccessRight> WRITABLE = EnumSet.of(AccessRight.REMOTE_WRITE);

    private static TestLink open(LocalRnic rnic, QueuePairLimits limits) {
        QueuePairConfig config = QueuePairConfig.builder().limits(limits).build();
        TestLink[] link = new TestLink[1];
        link[0] = TestLink.responder(rnic, config, request -> request.accept(TestLink.OPTIONS, link[0]));
        link[0].in(TestLink.REQUEST);
        return link[0];
    }

    private static LocalRnic rnic(RnicLimits limits) {
        return new LocalRnic(new Random(1), limits);
    }

    private static void expectRefusal(Runnable asking, String limit) {
        assertThatThrownBy(asking::run)
                .isInstanceOf(LimitReachedException.class)
                .hasMessageContaining(limit);
    }

    @Test
    void register_beyondTheBytesOfAQueuePair_isRefusedUntilSomeAreGivenBack() {
        LocalRnic rnic = rnic(RnicLimits.defaults());
        TestLink link =
                open(rnic, QueuePairLimits.builder().registeredBytes(100).build());
        MemoryRegion region = link.created.register(ByteBuffer.allocate(60), WRITABLE);
        link.created.register(ByteBuffer.allocate(40), WRITABLE);
        expectRefusal(() -> link.created.register(ByteBuffer.allocate(1), WRITABLE), "100");
        region.invalidate();
        assertThat(link.created.register(ByteBuffer.allocate(60), WRITABLE).valid())
                .isTrue();
        assertThat(rnic.refusals()).isEqualTo(1);
        assertThat(link.reason).isNull();
    }

    @Test
    void register_beyondTheBytesOfAll_isRefusedUntilAnotherQueuePairEnds() {
        LocalRnic rnic = rnic(new RnicLimits(100, 10, 100, 10));
        TestLink first = open(rnic, QueuePairLimits.defaults());
        TestLink second = open(rnic, QueuePairLimits.defaults());
        first.created.register(ByteBuffer.allocate(70), WRITABLE);
        expectRefusal(() -> second.created.register(ByteBuffer.allocate(31), WRITABLE), "100 registered bytes in all");
        expectRefusal(() -> rnic.createProtectionDomain().register(ByteBuffer.allocate(31), WRITABLE), "100");
        second.created.register(ByteBuffer.allocate(30), WRITABLE);
        first.created.abort("enough");
        second.created.register(ByteBuffer.allocate(70), WRITABLE);
        second.created.abort("enough");
        assertThat(rnic.registeredBytes().used()).isZero();
        assertThat(rnic.refusals()).isEqualTo(2);
    }

    @Test
    void postReceive_beyondEitherLimit_isRefusedAndTheRestStillWorks() {
        LocalRnic rnic = rnic(new RnicLimits(100, 5, 1000, 10));
        TestLink first = open(
                rnic,
                QueuePairLimits.builder().receiveQueueDepth(3).receiveBytes(100).build());
        first.created.postReceive(1, ByteBuffer.allocate(60));
        expectRefusal(() -> first.created.postReceive(2, ByteBuffer.allocate(41)), "100");
        first.created.postReceive(3, ByteBuffer.allocate(20));
        first.created.postReceive(4, ByteBuffer.allocate(20));
        expectRefusal(() -> first.created.postReceive(5, ByteBuffer.allocate(0)), "3");
        TestLink second = open(rnic, QueuePairLimits.defaults());
        second.created.postReceive(1, ByteBuffer.allocate(1));
        second.created.postReceive(2, ByteBuffer.allocate(1));
        expectRefusal(() -> second.created.postReceive(3, ByteBuffer.allocate(1)), "5 posted receives in all");
        // A message uses up a receive, which frees its room.
        first.fpdu("4143 00000000 00000000 00000001 00000000");
        first.created.postReceive(6, ByteBuffer.allocate(60));
        first.created.abort("enough");
        second.created.abort("enough");
        assertThat(rnic.receives().used()).isZero();
        assertThat(rnic.receiveBytes().used()).isZero();
    }

    @Test
    void accept_moreInboundReadsThanAreLeft_promisesThePeerFewer() {
        LocalRnic rnic = rnic(new RnicLimits(100, 10, 100, 3));
        TestLink first = open(rnic, QueuePairLimits.defaults());
        TestLink second = open(rnic, QueuePairLimits.defaults());
        // OPTIONS offer an IRD of 2 each. In a reply the IRD is in the low 14 bits after the header.
        assertThat(first.takeWrite().substring(40, 44)).isEqualTo("0002");
        assertThat(second.takeWrite().substring(40, 44)).isEqualTo("0001");
        assertThat(rnic.inboundReads().used()).isEqualTo(3);
        first.created.abort("enough");
        assertThat(rnic.inboundReads().used()).isEqualTo(1);
    }

    @Test
    void accept_limitsOfReads_winOverWhatIsOffered() {
        QueuePairLimits limits =
                QueuePairLimits.builder().inboundReads(1).outstandingReads(3).build();
        TestLink link = open(rnic(RnicLimits.defaults()), limits);
        assertThat(link.takeWrite().substring(40, 48)).isEqualTo("0001" + "0003");
    }

    @Test
    void connect_limitsOfReads_winOverWhatIsOffered() {
        QueuePairLimits limits =
                QueuePairLimits.builder().inboundReads(1).outstandingReads(3).build();
        TestLink link = TestLink.initiator(
                QueuePairConfig.builder().limits(limits).build(), new ConnectOptions(ByteBuffer.allocate(0), 9, 9));
        assertThat(link.takeWrite().substring(40, 48)).isEqualTo("0001" + "0003");
    }

    /**
     * The beginning of a message after the startup, with a receive of 8 bytes posted and a region of 8 bytes whose STag
     * is R.
     */
    @ParameterizedTest
    @CsvSource({
        "OFF, fff0 0143 00000000 00000000 00000001 00000000, a Send of 64 KiB of which nothing comes",
        "OFF, 0014 4143 00000000 00000000 00000001 ffffffff aabb, a Send at offset 4 GiB",
        "OFF, fff0 8140 R 0000000000000000 aabb, a Write of 64 KiB of which 2 bytes come",
        "OFF, 002e 4141 00000000 00000001 00000001 00000000 00000051 0000000000000000 ffffffff R 0000000000000000"
                + " 00000000, a Read of 4 GiB",
        "REQUIRED, fff0 0143 00000000 00000000 00000001 00000000, an FPDU of 64 KiB to be summed of which 20 bytes come"
    })
    void received_claimedLengths_allocateNothing(CrcPolicy crc, String hex, String why) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        long heapBytes = 0;
        long directBytes = 0;
        // In the first round classes are loaded.
        for (int round = 0; round < 3; round++) {
            TestLink link = TestLink.responder(QueuePairConfig.defaults().withCrcPolicy(crc), null);
            link.in(TestLink.REQUEST);
            link.created.postReceive(1, ByteBuffer.allocate(8));
            MemoryRegion region = link.created.register(
                    ByteBuffer.allocate(8), EnumSet.of(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ));
            ByteBuffer bytes = Hex.bytes(hex.replace("R", String.format("%08x", region.stag())));
            directBytes = direct.getMemoryUsed();
            heapBytes = threads.getCurrentThreadAllocatedBytes();
            link.machine.received(bytes);
            link.runTasks();
            heapBytes = threads.getCurrentThreadAllocatedBytes() - heapBytes;
            directBytes = direct.getMemoryUsed() - directBytes;
            assertThat(link.bugs).as(why).isEmpty();
        }
        assertThat(heapBytes).as(why).isLessThan(MOST_ALLOCATED_BYTES);
        assertThat(directBytes).as(why).isLessThan(MOST_ALLOCATED_BYTES);
    }
}
