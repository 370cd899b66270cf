package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Atomic operations that a peer asks of us: what they do to memory, what is answered, and when. IRD is 2. */
class AtomicResponderTest {
    private static final String NO_COMPARE = "0000000000000000 ffffffffffffffff";

    private final LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
    private final TestLink link = TestLink.openOn(rnic, TestLink.OPTIONS.with(RdmaExtension.values()));
    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(72).alignedSlice(8).limit(64).slice().order(ByteOrder.nativeOrder());
    private final MemoryRegion target = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC));

    private static String header(int msn) {
        return String.format("414a 00000000 00000001 %08x 00000000", msn);
    }

    private static String fetchAdd(MemoryRegion region, long offset, long data) {
        return String.format("00000000 01020304 %08x %016x %016x 0000000000000000", region.stag(), offset, data)
                + NO_COMPARE;
    }

    private String fetchAdd(long offset, long data) {
        return fetchAdd(target, offset, data);
    }

    private void expectAnswer(int msn, String identifier, long original) {
        assertThat(link.takeWrite())
                .isEqualTo("001e" + "414b00000000" + "00000003" + String.format("%08x", msn) + "00000000" + identifier
                        + String.format("%016x", original) + "00000000");
    }

    private void expectTerminate(String what, String code, String header, int segmentBytes) {
        assertThat(link.takeWrite())
                .as(what)
                .isEqualTo("002a" + "4147" + "00000000" + "00000002" + "00000001" + "00000000" + code + "c000"
                        + String.format("%04x", segmentBytes) + header.replace(" ", "") + "00000000");
        assertThat(link.reason.cause()).isEqualTo(Cause.LOCAL_TERMINATE);
        assertThat(link.completions).isEmpty();
    }

    @Test
    void requested_fetchAdd_isExecutedAndAnsweredAsFigure6Shows_unseenByTheUpperLayer() {
        memory.putLong(8, 0x11).putLong(0, -1).putLong(16, -1);
        link.fpdu(header(1) + fetchAdd(8, 5));
        // Length, control, reserved word, QN 3, MSN 1, MO 0; identifier, original value; no CRC.
        assertThat(link.takeWrite())
                .isEqualTo("001e" + "414b" + "00000000" + "00000003" + "00000001" + "00000000" + "01020304"
                        + "0000000000000011" + "00000000");
        assertThat(memory.getLong(8)).isEqualTo(0x16);
        assertThat(memory.getLong(0)).isEqualTo(-1);
        assertThat(memory.getLong(16)).isEqualTo(-1);
        assertThat(link.completions).isEmpty();
        assertThat(link.drained).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "00000000FFFFFFFF, 0000000100000001, 0000000000000000, 0000000200000000",
        "00000000FFFFFFFF, 0000000100000001, 8000000080000000, 0000000100000000",
        "00FF00FF00FF00FF, 0001000100010001, 8000800080008000, 0100010001000100",
        "A5A5A5A5A5A5A5A5, FFFFFFFFFFFFFFFF, FFFFFFFFFFFFFFFF, 5A5A5A5A5A5A5A5A",
        "1111111111111111, 0000000000000000, 8000000000000000, 1111111111111111"
    })
    void requested_maskedFetchAdd_givesTheGoldenResult(String original, String data, String mask, String result) {
        memory.putLong(0, Long.parseUnsignedLong(original, 16));
        link.fpdu(header(1)
                + String.format("00000000 00000000 %08x 0000000000000000", target.stag())
                + data
                + mask
                + NO_COMPARE);
        expectAnswer(1, "00000000", Long.parseUnsignedLong(original, 16));
        assertThat(memory.getLong(0)).isEqualTo(Long.parseUnsignedLong(result, 16));
    }

    @ParameterizedTest
    @CsvSource({
        "AABBCCDDEEFF0011, FFFFFFFFFFFFFFFF, 1122334455667788, FFFFFFFFFFFFFFFF, AABBCCDDEEFF0011",
        "AABBCCDDEEFF0011, FFFFFFFFFFFFFFFF, 1122334455667789, FFFFFFFFFFFFFFFF, 1122334455667788",
        "AABBCCDDEEFF0011, 00000000FFFFFFFF, 1122334400000000, FFFFFFFF00000000, 11223344EEFF0011",
        "AABBCCDDEEFF0011, FF00000000000000, 0000000000000000, 0000000000000000, AA22334455667788",
        "AABBCCDDEEFF0011, 0000000000000000, 1122334455667788, FFFFFFFFFFFFFFFF, 1122334455667788",
        "AABBCCDDEEFF0011, FFFFFFFFFFFFFFFF, FFFFFFFFFFFFFF88, 00000000000000FF, AABBCCDDEEFF0011",
        "AABBCCDDEEFF0011, FFFFFFFFFFFFFFFF, FFFFFFFFFFFFFF88, 000000000000FFFF, 1122334455667788"
    })
    void requested_maskedCompareSwap_givesTheGoldenResult(
            String swap, String swapMask, String compare, String compareMask, String result) {
        memory.putLong(0, 0x1122334455667788L);
        link.fpdu(header(1)
                + String.format("00000002 00000000 %08x 0000000000000000", target.stag())
                + swap
                + swapMask
                + compare
                + compareMask);
        expectAnswer(1, "00000000", 0x1122334455667788L);
        assertThat(memory.getLong(0)).isEqualTo(Long.parseUnsignedLong(result, 16));
    }

    @Test
    void requested_onLittleEndianHost_countsInTheOrderOfThatHost() {
        memory.order(ByteOrder.nativeOrder());
        memory.putLong(0, 0xff);
        link.fpdu(header(1) + fetchAdd(0, 1));
        expectAnswer(1, "01020304", 0xff);
        String bytes = Hex.of(memory.slice(0, 8));
        assertThat(bytes)
                .isEqualTo(
                        ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? "0001000000000000" : "0000000000000100");
    }

    @ParameterizedTest
    @ValueSource(strings = {"00000000", "00000001", "7fffffff", "80000000", "ffffffff"})
    void requested_anyIdentifierEvenTwice_comesBack(String identifier) {
        for (int msn = 1; msn <= 2; msn++) {
            link.fpdu(header(msn) + fetchAdd(0, 1).replace("01020304", identifier));
            expectAnswer(msn, identifier, msn - 1);
        }
    }

    @Test
    void requested_reservedBitsSet_areIgnored() {
        // All reserved bits of DDP, RDMAP and the request, an Invalidate STag that is valid, and compare fields of a
        // FetchAdd.
        String stag = String.format("%08x", target.stag());
        link.fpdu("7d7a" + stag + "00000001 00000001 00000000" + "fffffff0 01020304" + stag
                + "0000000000000000 0000000000000005 0000000000000000 0123456789abcdef 0000000000000000");
        expectAnswer(1, "01020304", 0);
        assertThat(memory.getLong(0)).isEqualTo(5);
        assertThat(target.valid()).isTrue();
        link.fpdu(header(2) + fetchAdd(0, 0));
        expectAnswer(2, "01020304", 5);
    }

    @Test
    void requested_probeThatAddsNothing_changesNothing() {
        memory.putLong(0, 0x1122334455667788L);
        for (String mask : new String[] {"0000000000000000", "8000000000000000", "ffffffffffffffff"}) {
            TestLink fresh = TestLink.extended();
            MemoryRegion region = fresh.created.register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC));
            fresh.fpdu(header(1)
                    + String.format("00000000 00000000 %08x 0000000000000000 0000000000000000", region.stag())
                    + mask
                    + NO_COMPARE);
            assertThat(fresh.takeWrite()).contains("1122334455667788");
            assertThat(memory.getLong(0)).isEqualTo(0x1122334455667788L);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
    void requested_operationCode_isKnownIfItIs0Or2(int code) {
        link.fpdu(header(1) + fetchAdd(0, 1).replaceFirst("00000000", String.format("%08x", code)));
        if (code == 0 || code == 2) {
            expectAnswer(1, "01020304", 0);
        } else {
            expectTerminate("code " + code, "0206", header(1), 70);
            assertThat(memory.getLong(0)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void requested_misalignedWord_isTerminatedAndUntouched(int offset) {
        for (String operation : new String[] {"00000000", "00000002"}) {
            TestLink fresh = TestLink.extended();
            MemoryRegion region = fresh.created.register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC));
            // As a CompareSwap with compare mask 0 it would always swap.
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

    @Test
    void requested_oddOffsetAtAnAlignedAddress_isExecuted_evenOffsetAtAnUnalignedOne_not() {
        MemoryRegion shifted = link.created.register(memory.slice(5, 40), EnumSet.of(AccessRight.REMOTE_ATOMIC));
        link.fpdu(header(1) + fetchAdd(shifted, 3, 9));
        expectAnswer(1, "01020304", 0);
        assertThat(memory.getLong(8)).isEqualTo(9);
        link.fpdu(header(2) + fetchAdd(shifted, 8, 9));
        expectTerminate("TO 8 at address 13", "0207", header(2), 70);
    }

    @Test
    void requested_lastWordOfTheRegion_isExecuted() {
        link.fpdu(header(1) + fetchAdd(56, 9));
        expectAnswer(1, "01020304", 0);
        assertThat(memory.getLong(56)).isEqualTo(9);
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

    @Test
    void requested_moreThanIrd_isTerminated() {
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        link.created.flush();
        link.writes.clear();
        link.fpdu(header(1) + fetchAdd(0, 1));
        link.fpdu(
                "4141 00000000 00000001 00000002 00000000 00001000 0000000000000010 00000000 00000000 0000000000000000");
        assertThat(link.reason).isNull();
        link.fpdu(header(3) + fetchAdd(0, 1));
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.takeWrite().substring(4 + 36))
                .startsWith("1202c000" + "0046" + header(3).replace(" ", ""));
    }

    @Test
    void requested_asManyAsIrdAgainAndAgain_areAllAnsweredInOrder() {
        for (int msn = 1; msn <= 500; msn++) {
            // A chain: each swap succeeds only after the one before.
            link.fpdu(header(msn)
                    + String.format(
                            "00000002 %08x %08x 0000000000000000 %016x ffffffffffffffff %016x ffffffffffffffff",
                            msn, target.stag(), msn, msn - 1));
        }
        assertThat(memory.getLong(0)).isEqualTo(500);
        assertThat(link.writes).hasSize(500);
        for (int msn = 1; msn <= 500; msn++) {
            assertThat(link.writes.get(msn - 1))
                    .isEqualTo(
                            String.format("001e414b0000000000000003%08x00000000%08x%016x00000000", msn, msn, msn - 1));
        }
    }

    @Test
    void requested_chainWhileTheSocketIsBusy_isExecutedInOrder() {
        TestLink deep = TestLink.accepting(
                QueuePairConfig.defaults(),
                new ConnectOptions(ByteBuffer.allocate(0), 16, 16).with(RdmaExtension.ATOMIC_OPERATIONS));
        deep.in("4d504120494420526571204672616d65 1002 0004 0080 0010");
        deep.created.postReceive(100, ByteBuffer.allocate(0));
        deep.fpdu("4143 00000000 00000000 00000001 00000000");
        deep.writes.clear();
        MemoryRegion region = deep.created.register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC));
        deep.socketTakes = false;
        for (int msn = 1; msn <= 16; msn++) {
            deep.fpdu(header(msn)
                    + String.format(
                            "00000002 %08x %08x 0000000000000000 %016x ffffffffffffffff %016x ffffffffffffffff",
                            msn, region.stag(), msn, msn - 1));
        }
        deep.socketTakes = true;
        deep.releaseHeld();
        assertThat(memory.getLong(0)).isEqualTo(16);
        String wire = String.join("", deep.writes);
        for (int msn = 1; msn <= 16; msn++) {
            assertThat(wire).contains(String.format("414b0000000000000003%08x00000000%08x%016x", msn, msn, msn - 1));
        }
    }

    @Test
    void requestedBehindARead_isExecutedWhenTheSocketHasTheBytesOfTheRead() {
        MemoryRegion readable = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_READ));
        memory.putLong(0, 1);
        link.socketTakes = false;
        link.fpdu("4141 00000000 00000001 00000001 00000000 00001000 0000000000000010 00000040"
                + String.format("%08x", readable.stag()) + "0000000000000000");
        assertThat(link.held).hasSize(1);
        link.fpdu(header(2) + fetchAdd(0, 1));
        assertThat(memory.getLong(0)).isEqualTo(1);
        assertThat(link.writes).hasSize(1);
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(memory.getLong(0)).isEqualTo(2);
        assertThat(link.writes).hasSize(2);
        assertThat(link.writes.get(0)).startsWith("004ec142");
        assertThat(link.writes.get(1)).startsWith("001e414b").contains("0102030400000000");
    }

    @Test
    void requestedBetweenReads_eachShowsWhatItsPlaceInTheOrderSays() {
        MemoryRegion readable = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_READ));
        memory.putLong(0, 1);
        String read =
                "00001000 0000000000000010 00000008" + String.format("%08x", readable.stag()) + "0000000000000000";
        String before = Hex.of(memory.slice(0, 8));
        link.fpdu("4141 00000000 00000001 00000001 00000000" + read);
        link.fpdu(header(2) + fetchAdd(0, 1));
        String after = Hex.of(memory.slice(0, 8));
        link.fpdu("4141 00000000 00000001 00000003 00000000" + read);
        assertThat(before).isNotEqualTo(after);
        assertThat(link.writes).hasSize(3);
        assertThat(link.writes.get(0)).contains(before);
        assertThat(link.writes.get(1)).startsWith("001e414b").contains("0000000000000001" + "00000000");
        assertThat(link.writes.get(2)).contains(after);
    }

    @Test
    void requestedBehindAWrite_findsWhatWasWritten() {
        MemoryRegion writable = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_WRITE));
        link.fpdu("c140" + String.format("%08x", writable.stag()) + "0000000000000008" + "0100000000000000");
        link.fpdu(header(1) + fetchAdd(8, 0));
        long written = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 1 : 0x0100000000000000L;
        expectAnswer(1, "01020304", written);
    }

    @Test
    void requestedWhileAnEarlierMessageIsIncomplete_waitsForIt() {
        link.created.postReceive(7, ByteBuffer.allocate(2));
        link.fpdu("0143 00000000 00000000 00000002 00000000 aa");
        link.fpdu(header(1) + fetchAdd(0, 1));
        assertThat(memory.getLong(0)).isZero();
        assertThat(link.writes).isEmpty();
        link.fpdu("4143 00000000 00000000 00000002 00000001 bb");
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(7L);
        assertThat(memory.getLong(0)).isEqualTo(1);
        expectAnswer(1, "01020304", 0);
    }

    @Test
    void requestedWhileAnEarlierMessageIsIncomplete_andWrong_isReportedWithItsOwnHeader() {
        link.created.postReceive(7, ByteBuffer.allocate(2));
        link.fpdu("0143 00000000 00000000 00000002 00000000 aa");
        link.fpdu(header(1) + fetchAdd(1, 1));
        assertThat(link.reason).isNull();
        link.fpdu("4143 00000000 00000000 00000002 00000001 bb");
        assertThat(link.takeWrite().substring(4 + 36))
                .startsWith("0207c000" + "0046" + header(1).replace(" ", ""));
        assertThat(memory.getLong(0)).isZero();
    }

    @Test
    void requested_regionInvalidatedBeforeItsTurn_isTerminatedAndUntouched() {
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
        link.created.flush();
        link.fpdu(header(1) + fetchAdd(0, 1));
        target.invalidate();
        link.writes.clear();
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.takeWrite().substring(4 + 36))
                .startsWith("0100c000" + "0046" + header(1).replace(" ", ""));
        assertThat(memory.getLong(0)).isZero();
    }

    /**
     * A responder may answer late, and need not hold up what comes behind the request meanwhile (RFC 7306 section 5.4 rules 4 to 6,
     * section 7).
     */
    @Test
    void requestedBehindAReadInTheSocket_laterMessages_arePlacedAndDeliveredMeanwhile() {
        MemoryRegion source = link.created.register(memory, EnumSet.of(AccessRight.REMOTE_READ));
        MemoryRegion written = link.created.register(ByteBuffer.allocate(4), EnumSet.of(AccessRight.REMOTE_WRITE));
        ByteBuffer message = ByteBuffer.allocate(2);
        link.created.postReceive(1, message);
        link.created.postReceive(2, ByteBuffer.allocate(8));
        link.socketTakes = false;
        link.created.post(WorkRequest.Send.of(7, ByteBuffer.allocate(1)));
        link.created.flush();
        link.writes.clear();
        link.fpdu(String.format(
                "4141 00000000 00000001 00000001 00000000 00000051 0000000000000000 00000008 %08x 0000000000000000",
                source.stag()));
        link.fpdu(header(2) + fetchAdd(0, 3));
        link.fpdu(String.format("c140 %08x 0000000000000000 aabbccdd", written.stag()));
        link.fpdu("4143 00000000 00000000 00000002 00000000 0102");
        link.fpdu("4148 00000000 00000000 00000003 00000000 0102030405060708");
        // Neither is answered, nor is the one executed that would change memory.
        assertThat(link.writes).isEmpty();
        assertThat(memory.getLong(0)).isZero();
        assertThat(written.memory().getInt(0)).isEqualTo(0xaabbccdd);
        assertThat(message.getShort(0)).isEqualTo((short) 0x0102);
        assertThat(link.completions).extracting(Completion::workRequestId).containsExactly(1L, 2L);
        link.socketTakes = true;
        link.releaseHeld();
        assertThat(link.writes).hasSize(2);
        assertThat(link.writes.getFirst()).startsWith("0016" + "c142").contains("0000000000000000");
        assertThat(link.writes.getLast()).startsWith("001e" + "414b");
        assertThat(memory.getLong(0)).isEqualTo(3);
        assertThat(link.reason).isNull();
    }

    @Test
    void requested_inSegments_isExecutedWhenWhole() {
        String body = fetchAdd(0, 1).replace(" ", "");
        link.fpdu("014a 00000000 00000001 00000001 00000000" + body.substring(0, 60));
        assertThat(memory.getLong(0)).isZero();
        link.fpdu("414a 00000000 00000001 00000001 0000001e" + body.substring(60));
        expectAnswer(1, "01020304", 0);
        assertThat(memory.getLong(0)).isEqualTo(1);
    }
}
