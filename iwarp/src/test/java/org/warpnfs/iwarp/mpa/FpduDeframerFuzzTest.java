package org.warpnfs.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Any bytes, cut in any way: the deframer delivers the same as if they had come at once, and never more than it was given.
 *
 * <p>The first byte of an input says whether there are CRCs (1), whether those in the input are to be put right (2), and where
 * the second byte cuts.
 */
class FpduDeframerFuzzTest {
    private static final int CRC = 1;
    private static final int MEND_CRC = 2;

    @FuzzTest
    void anyBytes_anyCut_deliversTheSame(byte[] input) {
        if (input.length < 2) {
            return;
        }
        boolean crc = (input[0] & CRC) != 0;
        byte[] stream = new byte[input.length - 2];
        System.arraycopy(input, 2, stream, 0, stream.length);
        if (crc && (input[0] & MEND_CRC) != 0) {
            mendCrcs(stream);
        }
        Notes whole = new Notes();
        whole.take(stream, crc, stream.length);
        Notes cut = new Notes();
        cut.take(stream, crc, 1 + (input[1] & 0x1f));
        assertThat(cut.log.toString()).isEqualTo(whole.log.toString());
        assertThat(cut.boundary).isEqualTo(whole.boundary);
        assertThat(whole.delivered).isLessThanOrEqualTo(stream.length);
    }

    /** Gives each whole FPDU the CRC that it should have, so that mutations get past the check. */
    private static void mendCrcs(byte[] stream) {
        for (int at = 0; at + 2 <= stream.length; ) {
            int covered = (2 + ByteBuffer.wrap(stream).getChar(at) + 3) & ~3;
            if (at + covered + 4 > stream.length) {
                return;
            }
            CRC32C crc = new CRC32C();
            crc.update(stream, at, covered);
            ByteBuffer.wrap(stream).putInt(at + covered, Integer.reverseBytes((int) crc.getValue()));
            at += covered + 4;
        }
    }

    private static final class Notes implements UlpduSink {
        final StringBuilder log = new StringBuilder();
        int delivered;
        int left;
        boolean boundary;

        void take(byte[] stream, boolean crc, int pieceBytes) {
            FpduDeframer deframer = new FpduDeframer(this, crc);
            try {
                for (int at = 0; at < stream.length; ) {
                    int length = Math.min(pieceBytes, stream.length - at);
                    ByteBuffer piece = ByteBuffer.wrap(stream, at, length);
                    boolean more = true;
                    while (more) {
                        int before = piece.remaining();
                        more = deframer.advance(piece);
                        assertThat(before == 0 || piece.remaining() < before).isTrue();
                    }
                    assertThat(piece.hasRemaining()).isFalse();
                    at += length;
                }
            } catch (ProtocolViolation violation) {
                assertThat(crc).isTrue();
                log.append(violation.detail());
            }
            boundary = deframer.atBoundary();
        }

        @Override
        public void ulpduStarted(int lengthBytes) {
            assertThat(left).isZero();
            left = lengthBytes;
            log.append(lengthBytes).append(':');
        }

        @Override
        public void ulpduBytes(ByteBuffer bytes) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            delivered += copy.length;
            left -= copy.length;
            log.append(HexFormat.of().formatHex(copy));
        }

        @Override
        public void ulpduEnded() {
            assertThat(left).isZero();
            log.append('.');
        }
    }
}
