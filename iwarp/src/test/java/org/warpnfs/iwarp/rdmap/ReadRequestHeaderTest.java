package org.warpnfs.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.Hex;

/** RFC 5040, figure 6, written by hand. */
class ReadRequestHeaderTest {
    @ParameterizedTest
    @CsvSource({
        "11111111 0000000000002000 00002710 22222222 0000000000003000, 11111111, 2000, 2710, 22222222, 3000",
        "fffffffe 8877665544332211 80000001 80000000 fffffffffffffffe,"
                + " fffffffe, 8877665544332211, 80000001, 80000000, fffffffffffffffe",
        "00000000 0000000000000000 ffffffff 00000001 8000000000000000, 0, 0, ffffffff, 1, 8000000000000000",
        "00000000 0000000000000000 00000000 00000000 0000000000000000, 0, 0, 0, 0, 0"
    })
    void goldenOctets_bothDirections(
            String octets, String sinkStag, String sinkTo, String size, String sourceStag, String sourceTo)
            throws RdmapViolation {
        ReadRequestHeader header = new ReadRequestHeader(
                Long.parseLong(sinkStag, 16),
                Long.parseUnsignedLong(sinkTo, 16),
                Long.parseLong(size, 16),
                Long.parseLong(sourceStag, 16),
                Long.parseUnsignedLong(sourceTo, 16));
        ByteBuffer out = ByteBuffer.allocate(ReadRequestHeader.BYTES);
        header.encode(out);
        assertThat(Hex.of(out.flip())).isEqualTo(octets.replace(" ", ""));
        assertThat(ReadRequestHeader.parse(Hex.bytes(octets))).isEqualTo(header);
    }

    @Test
    void parse_everyOtherLength_isAViolation() {
        for (int length = 0; length < 60; length++) {
            ByteBuffer message = ByteBuffer.allocate(length);
            if (length != 28) {
                assertThatThrownBy(() -> ReadRequestHeader.parse(message)).isInstanceOf(RdmapViolation.class);
            }
        }
    }

    @Test
    void terminate_localCatastrophicWithAnyCode_isThat() {
        for (int code = 0; code < 256; code++) {
            TerminateError error = TerminateHeader.parse(Hex.bytes(String.format("00%02x0000", code)))
                    .error();
            assertThat(error).isEqualTo(new TerminateError(0, 0, code));
            assertThat(error.toString()).startsWith("layer 0 (RDMA) type 0");
        }
    }
}
