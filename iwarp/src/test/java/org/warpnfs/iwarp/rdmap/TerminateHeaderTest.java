package org.warpnfs.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;

class TerminateHeaderTest {
    private static final String UNTAGGED = "4141 00000000 00000001 00000003 00000000";
    private static final String TAGGED = "c140 12345678 0000000000000010";
    private static final String READ = "00001000 0000000000000010 00002000 abcdef01 1122334400005000";

    private static String encoded(TerminateHeader header) {
        ByteBuffer out = ByteBuffer.allocate(header.lengthBytes());
        header.encode(out);
        return Hex.of(out.flip());
    }

    /** Linux on little-endian machines exchanges the nibbles of byte 0 and mirrors the flags. */
    @ParameterizedTest
    @CsvSource({
        "20 02 00 00, 2, 0, 2",
        "02 02 00 00, 2, 0, 2",
        "12 02 00 00, 1, 2, 2",
        "21 03 00 00, 1, 2, 3",
        "11 01 00 00, 1, 1, 1",
        "00 00 00 00, 0, 0, 0",
        "01 02 00 00, 0, 1, 2",
        "77 99 00 00, 7, 7, 153"
    })
    void parse_withoutHeaders_eitherOrderIsUnderstood(String message, int layer, int type, int code) {
        TerminateHeader header = TerminateHeader.parse(Hex.bytes(message));
        assertThat(header.error()).isEqualTo(new TerminateError(layer, type, code));
        assertThat(header.ddpHeader().hasRemaining()).isFalse();
        assertThat(header.segmentBytes()).isEqualTo(-1);
    }

    @Test
    void parse_siwWithHeaders_flagsTellTheOrder() {
        // Layer 0, type 1, M and D, as siw writes them. In the other order they would be layer 1, type 0.
        TerminateHeader header = TerminateHeader.parse(Hex.bytes("10 00 03 00 002e" + UNTAGGED));
        assertThat(header.error()).isEqualTo(new TerminateError(0, 1, 0));
        assertThat(header.segmentBytes()).isEqualTo(0x2e);
        assertThat(header.ddpHeader()).isEqualTo(Hex.bytes(UNTAGGED));
    }

    @Test
    void encode_readRequest_hasBothHeadersAndParsesBack() throws RdmapViolation {
        ReadRequestHeader request = ReadRequestHeader.parse(Hex.bytes(READ));
        TerminateHeader header = TerminateHeader.about(new TerminateError(0, 1, 1), 0x2e, Hex.bytes(UNTAGGED), request);
        assertThat(encoded(header)).isEqualTo(Hex.of(Hex.bytes("01 01 e0 00 002e" + UNTAGGED + READ)));
        assertThat(TerminateHeader.parse(Hex.bytes(encoded(header)))).isEqualTo(header);
    }

    @Test
    void encode_taggedSegment_hasItsHeaderAndParsesBack() {
        TerminateHeader header = TerminateHeader.about(new TerminateError(1, 1, 0), 0x1c, Hex.bytes(TAGGED), null);
        assertThat(encoded(header)).isEqualTo(Hex.of(Hex.bytes("11 00 c0 00 001c" + TAGGED)));
        assertThat(TerminateHeader.parse(Hex.bytes(encoded(header)))).isEqualTo(header);
    }

    @Test
    void encode_bare_isTheGoldenCrcError() {
        assertThat(encoded(TerminateHeader.bare(new TerminateError(2, 0, 2)))).isEqualTo("20020000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"01 01 e0 00 002e" + UNTAGGED + READ, "10 01 07 00 002e" + UNTAGGED + READ})
    void parse_everyTruncation_isTakenAsFarAsItGoes(String message) {
        ByteBuffer bytes = Hex.bytes(message);
        for (int length = 0; length <= bytes.capacity(); length++) {
            TerminateHeader header = TerminateHeader.parse(bytes.slice(0, length));
            assertThat(header.ddpHeader().hasRemaining()).isEqualTo(length >= 24);
            assertThat(header.readRequest().hasRemaining()).isEqualTo(length == 52);
        }
    }

    /** RFC 5040, section 4.8 says in one place that M makes the length valid, and in another that D includes it. */
    @Test
    void parse_lengthWithoutHeader_isTaken_andNothingBehindItIsAHeader() {
        for (String behind : new String[] {"", TAGGED, UNTAGGED + READ}) {
            TerminateHeader header = TerminateHeader.parse(Hex.bytes("11 00 80 00 001c" + behind));
            assertThat(header.error()).isEqualTo(new TerminateError(1, 1, 0));
            assertThat(header.segmentBytes()).isEqualTo(0x1c);
            assertThat(header.ddpHeader().hasRemaining()).isFalse();
            assertThat(header.readRequest().hasRemaining()).isFalse();
        }
    }

    @Test
    void parse_headerWithoutTheFlagOfItsLength_isTakenWithItsLength() {
        TerminateHeader tagged = TerminateHeader.parse(Hex.bytes("11 00 40 00 001c" + TAGGED));
        assertThat(tagged).isEqualTo(TerminateHeader.parse(Hex.bytes("11 00 c0 00 001c" + TAGGED)));
        assertThat(tagged.segmentBytes()).isEqualTo(0x1c);
        assertThat(tagged.ddpHeader()).isEqualTo(Hex.bytes(TAGGED));
        TerminateHeader read = TerminateHeader.parse(Hex.bytes("01 01 60 00 002e" + UNTAGGED + READ));
        assertThat(read.ddpHeader()).isEqualTo(Hex.bytes(UNTAGGED));
        assertThat(read.readRequest()).isEqualTo(Hex.bytes(READ));
    }

    @Test
    void parse_reservedBits_areIgnored() {
        TerminateHeader header = TerminateHeader.parse(Hex.bytes("11 00 df ff 001c" + TAGGED));
        assertThat(header).isEqualTo(TerminateHeader.parse(Hex.bytes("11 00 c0 00 001c" + TAGGED)));
    }

    @Test
    void after_partOfARead_movesBothOffsets() throws RdmapViolation {
        ReadRequestHeader request = ReadRequestHeader.parse(Hex.bytes(READ));
        assertThat(request.after(2048))
                .isEqualTo(new ReadRequestHeader(0x1000, 0x810, 0x2000 - 2048, 0xabcdef01L, 0x1122334400005800L));
    }
}
