package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Random;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RdmaExtension;

/** A region whose words a peer may change by atomic operations, and the messages of such a peer. IRD is 2. */
abstract class AtomicTarget {
    static final String NO_COMPARE = "0000000000000000 ffffffffffffffff";

    final LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
    final TestLink link = TestLink.openOn(rnic, TestLink.OPTIONS.with(RdmaExtension.values()));
    final ByteBuffer memory =
            ByteBuffer.allocateDirect(72).alignedSlice(8).limit(64).slice().order(ByteOrder.nativeOrder());
    final MemoryRegion target = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC));

    static String header(int msn) {
        return String.format("414a 00000000 00000001 %08x 00000000", msn);
    }

    static String fetchAdd(MemoryRegion region, long offset, long data) {
        return String.format("00000000 01020304 %08x %016x %016x 0000000000000000", region.stag(), offset, data)
                + NO_COMPARE;
    }

    String fetchAdd(long offset, long data) {
        return fetchAdd(target, offset, data);
    }

    void expectAnswer(int msn, String identifier, long original) {
        assertThat(link.takeWrite())
                .isEqualTo("001e" + "414b00000000" + "00000003" + String.format("%08x", msn) + "00000000" + identifier
                        + String.format("%016x", original) + "00000000");
    }

    void expectTerminate(String what, String code, String header, int segmentBytes) {
        assertThat(link.takeWrite())
                .as(what)
                .isEqualTo("002a" + "4147" + "00000000" + "00000002" + "00000001" + "00000000" + code + "c000"
                        + String.format("%04x", segmentBytes) + header.replace(" ", "") + "00000000");
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(link.completions).isEmpty();
    }
}
