package org.warpnfs.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.Hex;

/** The two headers, bit by bit. The octets were written by hand from RFC 5041 Figures 3 to 5. */
class HeaderTest {
    private static String encoded(TaggedHeader header) {
        ByteBuffer out = ByteBuffer.allocate(TaggedHeader.BYTES);
        header.encode(out);
        assertThat(out.hasRemaining()).isFalse();
        return Hex.of(out.flip());
    }

    private static String encoded(UntaggedHeader header) {
        ByteBuffer out = ByteBuffer.allocate(UntaggedHeader.BYTES);
        header.encode(out);
        assertThat(out.hasRemaining()).isFalse();
        return Hex.of(out.flip());
    }

    @ParameterizedTest
    @CsvSource({
        "c1a5 01020304 8877665544332211, true, a5, 01020304, 8877665544332211",
        "8140 00000000 0000000000000000, false, 40, 00000000, 0000000000000000",
        "81ff ffffffff ffffffffffffffff, false, ff, ffffffff, ffffffffffffffff",
        "c142 80000000 8000000000000000, true, 42, 80000000, 8000000000000000",
        "c100 7fffffff 7fffffffffffffff, true, 00, 7fffffff, 7fffffffffffffff"
    })
    void tagged_goldenOctets_bothDirections(String octets, boolean last, String ulp, String stag, String to) {
        TaggedHeader header = new TaggedHeader(
                last, Integer.parseInt(ulp, 16), Long.parseLong(stag, 16), Long.parseUnsignedLong(to, 16));
        assertThat(encoded(header)).isEqualTo(octets.replace(" ", ""));
        assertThat(TaggedHeader.parse(Hex.bytes(octets))).isEqualTo(header);
        assertThat(TaggedHeader.parse(Hex.bytes("ffff" + octets).position(2).order(ByteOrder.LITTLE_ENDIAN)))
                .isEqualTo(header);
    }

    @ParameterizedTest
    @CsvSource({
        "0143 deadbeef 00000002 ffffffff 80000000, false, 43, deadbeef, 00000002, ffffffff, 80000000",
        "4100 00000000 00000000 00000001 00000000, true, 00, 00000000, 00000000, 00000001, 00000000",
        "41ff ffffffff ffffffff 80000000 ffffffff, true, ff, ffffffff, ffffffff, 80000000, ffffffff",
        "0144 01020304 80000000 7fffffff 7fffffff, false, 44, 01020304, 80000000, 7fffffff, 7fffffff"
    })
    void untagged_goldenOctets_bothDirections(
            String octets, boolean last, String ulp, String word, String qn, String msn, String mo) {
        UntaggedHeader header = new UntaggedHeader(
                last,
                Integer.parseInt(ulp, 16),
                Long.parseLong(word, 16),
                Long.parseLong(qn, 16),
                Integer.parseUnsignedInt(msn, 16),
                Long.parseLong(mo, 16));
        assertThat(encoded(header)).isEqualTo(octets.replace(" ", ""));
        assertThat(UntaggedHeader.parse(Hex.bytes(octets))).isEqualTo(header);
        assertThat(UntaggedHeader.parse(Hex.bytes("ffff" + octets).position(2).order(ByteOrder.LITTLE_ENDIAN)))
                .isEqualTo(header);
    }

    @Test
    void rsvdUlp_everyValue_isCarriedUnchanged() {
        for (int ulp = 0; ulp < 256; ulp++) {
            String octet = String.format("%02x", ulp);
            assertThat(encoded(new TaggedHeader(true, ulp, 0, 0))).startsWith("c1" + octet);
            assertThat(encoded(new UntaggedHeader(true, ulp, 0, 0, 1, 0))).startsWith("41" + octet);
            assertThat(TaggedHeader.parse(Hex.bytes("c1" + octet + "00".repeat(12)))
                            .rsvdUlp())
                    .isEqualTo(ulp);
            assertThat(UntaggedHeader.parse(Hex.bytes("41" + octet + "00".repeat(16)))
                            .rsvdUlp())
                    .isEqualTo(ulp);
        }
    }

    @Test
    void reservedBits_anyValue_meanNothing() {
        for (int reserved = 0; reserved < 16; reserved++) {
            String tagged = String.format("%02x", 0xc1 | reserved << 2);
            String untagged = String.format("%02x", 0x41 | reserved << 2);
            assertThat(TaggedHeader.parse(Hex.bytes(tagged + "40" + "00".repeat(12))))
                    .isEqualTo(new TaggedHeader(true, 0x40, 0, 0));
            assertThat(UntaggedHeader.parse(Hex.bytes(untagged + "43" + "00".repeat(16))))
                    .isEqualTo(new UntaggedHeader(true, 0x43, 0, 0, 0, 0));
        }
    }

    @Test
    void errors_typeAndCode_areThoseOfTheRfc() {
        StringBuilder numbers = new StringBuilder();
        for (DdpError error : DdpError.values()) {
            assertThat(error.type()).isBetween(0, 2);
            assertThat(error.code()).isBetween(0, 0xff);
            numbers.append(String.format("%x/%02x ", error.type(), error.code()));
        }
        // The numbers are in the order of RFC 5041, section 7.2. Type 3 belongs to the layer below DDP.
        assertThat(numbers.toString()).isEqualTo("0/00 1/00 1/01 1/02 1/03 1/04 2/01 2/02 2/03 2/04 2/05 2/06 ");
    }
}
