package org.warpnfs.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;

/** Any bytes as the headers that RDMAP adds. */
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
