package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Which records are taken for the AUTH_TLS probe. */
class TlsProbeFuzzTest {
    private static final byte[] PROBE = HexFormat.of().parseHex(TlsPeer.PROBE.substring(8));
    private static final int XID_BYTES = 4;
    private static final int PROGRAM_OFFSET_BYTES = 12;
    private static final int PROCEDURE_OFFSET_BYTES = 20;

    /** The direction is the caller's matter; XID, program and version are whatever the client says. */
    private static boolean isFree(int offset) {
        return offset < 2 * XID_BYTES || (offset >= PROGRAM_OFFSET_BYTES && offset < PROCEDURE_OFFSET_BYTES);
    }

    private static boolean isProbe(byte[] bytes) {
        boolean is = bytes.length == PROBE.length;
        for (int n = 0; is && n < bytes.length; n++) {
            is = isFree(n) || bytes[n] == PROBE[n];
        }
        return is;
    }

    @FuzzTest
    void anyRecord_isAProbeOnlyInItsOneForm(byte[] bytes) {
        // Behind other bytes, as a record lies in what was received.
        ByteBuf record = Unpooled.wrappedBuffer(new byte[] {1, 2, 3}, bytes);
        record.skipBytes(3);
        assertThat(TlsStart.isProbe(record)).isEqualTo(isProbe(bytes));
        assertThat(record.readableBytes()).isEqualTo(bytes.length);
    }

    @Test
    void probe_withAnyBitChanged_isNoneUnlessTheClientMayChooseIt() {
        anyRecord_isAProbeOnlyInItsOneForm(PROBE);
        for (int bit = 0; bit < PROBE.length * Byte.SIZE; bit++) {
            byte[] changed = PROBE.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            anyRecord_isAProbeOnlyInItsOneForm(changed);
        }
        for (int length = 0; length < PROBE.length + 8; length++) {
            anyRecord_isAProbeOnlyInItsOneForm(Arrays.copyOf(PROBE, length));
        }
    }
}
