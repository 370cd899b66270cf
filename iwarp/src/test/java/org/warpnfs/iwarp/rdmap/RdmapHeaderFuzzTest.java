package org.warpnfs.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Arbitrary bytes as the headers that RDMAP adds. */
class RdmapHeaderFuzzTest {
    @FuzzTest
    void anyBytes_asAReadRequest_areRefusedOrKept(byte[] input) {
        try {
            ReadRequestHeader request = ReadRequestHeader.parse(ByteBuffer.wrap(input));
            ByteBuffer out = ByteBuffer.allocate(ReadRequestHeader.BYTES);
            request.encode(out);
            assertThat(out.array()).isEqualTo(input);
        } catch (RdmapViolation violation) {
            assertThat(input.length).isNotEqualTo(ReadRequestHeader.BYTES);
        }
    }

    /** 28 reserved bits are ignored, and sent as zero (RFC 7306, section 5.2.1). */
    @FuzzTest
    void anyBytes_asAnAtomicRequest_areRefusedOrKept(byte[] input) {
        boolean known = input.length == AtomicRequestHeader.BYTES && ((input[3] & 0xf) == 0 || (input[3] & 0xf) == 2);
        try {
            AtomicRequestHeader request = AtomicRequestHeader.parse(ByteBuffer.wrap(input));
            assertThat(known).isTrue();
            ByteBuffer out = ByteBuffer.allocate(AtomicRequestHeader.BYTES);
            request.encode(out);
            byte[] kept = input.clone();
            Arrays.fill(kept, 0, 3, (byte) 0);
            kept[3] &= 0xf;
            assertThat(out.array()).isEqualTo(kept);
        } catch (RdmapViolation violation) {
            assertThat(known).isFalse();
        }
    }

    @FuzzTest
    void anyBytes_asAnAtomicResponse_areRefusedOrKept(byte[] input) {
        try {
            AtomicResponseHeader response = AtomicResponseHeader.parse(ByteBuffer.wrap(input));
            ByteBuffer out = ByteBuffer.allocate(AtomicResponseHeader.BYTES);
            response.encode(out);
            assertThat(out.array()).isEqualTo(input);
        } catch (RdmapViolation violation) {
            assertThat(input.length).isNotEqualTo(AtomicResponseHeader.BYTES);
        }
    }

    @FuzzTest
    void anyBytes_asATerminate_areTakenAsFarAsTheyGo(byte[] input) {
        TerminateHeader header = TerminateHeader.parse(ByteBuffer.wrap(input));
        assertThat(header.error().toString()).isNotEmpty();
        assertThat(header.lengthBytes()).isLessThanOrEqualTo(TerminateHeader.MAX_BYTES);
        ByteBuffer out = ByteBuffer.allocate(header.lengthBytes());
        header.encode(out);
        assertThat(out.hasRemaining()).isFalse();
        if (header.ddpHeader().hasRemaining()) {
            assertThat(TerminateHeader.parse(out.flip())).isEqualTo(header);
        }
    }
}
