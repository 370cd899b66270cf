package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RdmaExtension;

/**
 * Atomic operations that are not permitted, and messages of RFC 7306 that are not valid. Each causes a specific
 * Terminate.
 */
class AtomicRefusalTest extends AtomicTarget {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void requested_misalignedWord_isTerminatedAndUntouched(int offset) {
        for (String operation : new String[] {"00000000", "00000002"}) {
            TestLink fresh = TestLink.extended();
            MemoryRegion region = fresh.created.register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC));
            // A CompareSwap with compare mask 0 would always swap.
            fresh.fpdu(header(1) + operation
                    + String.format("01020304 %08x %016x", region.stag(), offset)
                    + "ffffffffffffffff ffffffffffffffff 0000000000000000 0000000000000000");
            assertThat(fresh.takeWrite())
                    .isEqualTo("002a" + "4147" + "00000000" + "00000002" + "00000001" + "00000000" + "0207c000" + "0046"
                            + header(1).replace(" ", "") + "00000000");
            assertThat(fresh.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
            assertThat(fresh.reason.detail()).contains("not aligned");
            assertThat(memory.mismatch(ByteBuffer.allocate(64))).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "unknown STag, X, 0000000000000000, 0100",
        "STag of another stream, O, 0000000000000000, 0103",
        "no right, R, 0000000000000000, 0102",
        "seven bytes left, T, 0000000000000039, 0101",
        "past the end, T, 0000000000000040, 0101",
        "far past the end, T, 8000000000000000, 0101",
        "wraps, T, fffffffffffffffc, 0104"
    })
    void requested_whatThePeerMayNotHave_isTerminatedAndUntouched(
            String what, String region, String offset, String code) {
        MemoryRegion readable = link.created.register(
                memory, EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.LOCAL_WRITE));
        MemoryRegion other = TestLink.openOn(rnic, TestLink.OPTIONS.with(RdmaExtension.values()))
                .created
                .register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC));
        long stag =
                switch (region) {
                    case "T" -> target.stag();
                    case "R" -> readable.stag();
                    case "O" -> other.stag();
                    default -> (target.stag() ^ readable.stag()) | 1;
                };
        link.fpdu(header(1) + "00000000 01020304" + String.format("%08x", stag) + offset
                + "0000000000000001 0000000000000000" + NO_COMPARE);
        expectTerminate(what, code, header(1), 70);
        assertThat(memory.mismatch(ByteBuffer.allocate(64))).isEqualTo(-1);
    }

    @Test
    void requested_regionOfFourBytes_isOutOfBounds() {
        MemoryRegion tiny = link.created.register(memory.slice(0, 4), EnumSet.of(AccessRight.REMOTE_ATOMIC));
        link.fpdu(header(1) + fetchAdd(tiny, 0, 1));
        expectTerminate("four bytes", "0101", header(1), 70);
    }

    @ParameterizedTest
    @CsvSource({"51, 0207", "53, 1205", "0, 0207"})
    void requested_bodyOfWrongLength_isTerminated(int bodyBytes, String code) {
        link.fpdu(header(1) + "00".repeat(bodyBytes));
        expectTerminate("body of " + bodyBytes, code, header(1), 18 + bodyBytes);
    }

    @ParameterizedTest
    @CsvSource({
        "version 0, 410a 00000000 00000001 00000001 00000000, 0205",
        "version 2, 418a 00000000 00000001 00000001 00000000, 0205",
        "version 3, 41ca 00000000 00000001 00000001 00000000, 0205",
        "response of version 0, 410b 00000000 00000003 00000001 00000000, 0205",
        "immediate of version 2, 4188 00000000 00000000 00000002 00000000, 0205",
        "immediate with SE of version 3, 41c9 00000000 00000000 00000002 00000000, 0205",
        "opcode 12, 414c 00000000 00000001 00000001 00000000, 0206",
        "opcode 13, 414d 00000000 00000001 00000001 00000000, 0206",
        "opcode 14, 414e 00000000 00000001 00000001 00000000, 0206",
        "opcode 15, 414f 00000000 00000001 00000001 00000000, 0206",
        "request on queue 0, 414a 00000000 00000000 00000002 00000000, 0206",
        "request on queue 3, 414a 00000000 00000003 00000001 00000000, 0206",
        "response on queue 1, 414b 00000000 00000001 00000001 00000000, 0206",
        "immediate on queue 1, 4148 00000000 00000001 00000001 00000000, 0206",
        "immediate on queue 3, 4149 00000000 00000003 00000001 00000000, 0206",
        "Send on queue 3, 4143 00000000 00000003 00000001 00000000, 0206",
        "Read Request on queue 3, 4141 00000000 00000003 00000001 00000000, 0206",
        "queue 4, 414a 00000000 00000004 00000001 00000000, 1201",
        "queue 2^32 - 1, 414a 00000000 ffffffff 00000001 00000000, 1201",
        "MSN 0, 414a 00000000 00000001 00000000 00000000, 1203",
        "MSN 2, 414a 00000000 00000001 00000002 00000000, 1203",
        "offset 53, 414a 00000000 00000001 00000001 00000035, 1204",
        "DDP version 0, 404a 00000000 00000001 00000001 00000000, 1206",
        "DDP version 3, 434b 00000000 00000003 00000001 00000000, 1206"
    })
    void received_badHeader_isTerminated(String what, String header, String code) {
        link.fpdu(header);
        expectTerminate(what, code, header, 18);
    }

    /**
     * Each request has the fault that its row names and all those of the rows below it. X, O and R are the STags of no
     * region, of another stream and of a region that takes no atomic operations.
     */
    @ParameterizedTest
    @CsvSource({
        "queue, 418f, 7, 5, 51, 1, X, ffffffffffffffff, 1201",
        "version, 418f, 1, 5, 51, 1, X, ffffffffffffffff, 0205",
        "opcode, 414f, 1, 5, 51, 1, X, ffffffffffffffff, 0206",
        "MSN, 414a, 1, 5, 51, 1, X, ffffffffffffffff, 1203",
        "length, 414a, 1, 1, 51, 1, X, ffffffffffffffff, 0207",
        "operation, 414a, 1, 1, 52, 1, X, ffffffffffffffff, 0206",
        "STag, 414a, 1, 1, 52, 0, X, ffffffffffffffff, 0100",
        "stream, 414a, 1, 1, 52, 0, O, ffffffffffffffff, 0103",
        "right, 414a, 1, 1, 52, 0, R, ffffffffffffffff, 0102",
        "wrap, 414a, 1, 1, 52, 0, T, ffffffffffffffff, 0104",
        "bounds, 414a, 1, 1, 52, 0, T, 000000000000003f, 0101",
        "alignment, 414a, 1, 1, 52, 0, T, 0000000000000004, 0207"
    })
    void requested_withSeveralFaults_theFirstInOrderIsNamed(
            String what,
            String control,
            int qn,
            int msn,
            int bytes,
            int operation,
            String stag,
            String to,
            String code) {
        MemoryRegion region =
                switch (stag) {
                    case "R" -> link.created.register(memory, EnumSet.of(AccessRight.REMOTE_READ));
                    case "O" ->
                        TestLink.openOn(rnic, TestLink.OPTIONS)
                                .created
                                .register(memory, EnumSet.of(AccessRight.REMOTE_READ));
                    default -> target;
                };
        String header = control + String.format(" 00000000 %08x %08x 00000000", qn, msn);
        String body = String.format("%08x 01020304 ", operation)
                + (stag.equals("X") ? "0badbad0" : String.format("%08x", region.stag()))
                + to
                + "0000000000000001 0000000000000000"
                + NO_COMPARE;
        link.fpdu(header + body.replace(" ", "").substring(0, 2 * bytes));
        expectTerminate(what, code, header, 18 + bytes);
        assertThat(memory.mismatch(ByteBuffer.allocate(64))).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({"c148", "c149", "c14a", "c14b"})
    void received_taggedSegmentWithAnOpcodeOfRfc7306_isTerminated(String control) {
        MemoryRegion writable = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_WRITE));
        String header = control + String.format("%08x", writable.stag()) + "0000000000000000";
        link.fpdu(header + "aabbccddeeff0011");
        assertThat(link.takeWrite().substring(4 + 36)).startsWith("0206c000" + "0016" + header);
        assertThat(memory.mismatch(ByteBuffer.allocate(64))).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({
        "4148 00000000 00000000 00000002 00000000, 8",
        "4149 00000000 00000000 00000002 00000000, 8",
        "414a 00000000 00000001 00000001 00000000, 52",
        "414b 00000000 00000003 00000001 00000000, 12"
    })
    void switchedOff_eachOpcode_isUnexpected(String header, int bodyBytes) {
        TestLink plain = TestLink.open();
        plain.created.postReceive(1, ByteBuffer.allocate(8));
        plain.fpdu(header + "00".repeat(bodyBytes));
        assertThat(plain.takeWrite().substring(4 + 36))
                .startsWith("0206c000" + String.format("%04x", 18 + bodyBytes) + header.replace(" ", ""));
    }

    @Test
    void switchedOff_queue3_doesNotExist() {
        TestLink plain = TestLink.open(TestLink.OPTIONS.with(RdmaExtension.IMMEDIATE_DATA));
        plain.fpdu("4143 00000000 00000003 00000001 00000000");
        assertThat(plain.takeWrite().substring(4 + 36)).startsWith("1201c000");
    }

    @Test
    void switchedOnByHalves_eachHalfWorksAlone() {
        TestLink immediate = TestLink.open(TestLink.OPTIONS.with(RdmaExtension.IMMEDIATE_DATA));
        immediate.created.postReceive(1, ByteBuffer.allocate(8));
        immediate.fpdu("4148 00000000 00000000 00000002 00000000 0102030405060708");
        assertThat(immediate.completions).hasSize(1);
        immediate.fpdu(header(1) + "00".repeat(52));
        assertThat(immediate.takeWrite().substring(4 + 36)).startsWith("0206");

        TestLink atomics = TestLink.open(TestLink.OPTIONS.with(RdmaExtension.ATOMIC_OPERATIONS));
        MemoryRegion region = atomics.created.register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC));
        atomics.fpdu(header(1) + fetchAdd(region, 0, 1));
        atomics.fpdu(header(2)
                + String.format("00000002 00000000 %08x 0000000000000000", region.stag())
                + "000000000000ff00 000000000000ff00 0000000000000000 0000000000000000");
        assertThat(atomics.writes).hasSize(2);
        assertThat(memory.getLong(0)).isEqualTo(0xff01);
        atomics.fpdu("4148 00000000 00000000 00000002 00000000 0102030405060708");
        assertThat(atomics.writes.getLast().substring(4 + 36)).startsWith("0206");
    }
}
