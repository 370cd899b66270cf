package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteOrder;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;

/** Atomic operations that a peer requests from us: their effect on memory, and the responses. */
class AtomicResponderTest extends AtomicTarget {
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
        // Sets all reserved bits of DDP, RDMAP and the request, a valid Invalidate STag, and the compare fields of a
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
