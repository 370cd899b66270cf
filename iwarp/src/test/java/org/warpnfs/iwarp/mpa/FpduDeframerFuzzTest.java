package org.warpnfs.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Arbitrary bytes, cut in any way. The deframer delivers the same as for bytes that come at once, never more than it
 * was given, and the same with markers as without.
 *
 * <p>The bits of the first byte of an input tell whether there are CRCs (1), whether the CRCs in the input shall be
 * corrected (2), whether there are markers (4), and whether markers shall be inserted (8). The second byte tells where
 * to cut.
 */
class FpduDeframerFuzzTest {
    private static final int MAX_INPUT_BYTES = 16 << 10;
    private static final int CRC = 1;
    private static final int MEND_CRC = 2;
    private static final int MARKERS = 4;
    private static final int PUT_MARKERS_IN = 8;

    @FuzzTest
    void anyBytes_anyCut_deliversTheSame(byte[] input) {
        if (input.length < 2 || input.length > MAX_INPUT_BYTES) {
            return;
        }
        boolean crc = (input[0] & CRC) != 0;
        byte[] stream = new byte[input.length - 2];
        System.arraycopy(input, 2, stream, 0, stream.length);
        boolean markers = (input[0] & MARKERS) != 0;
        if (markers && (input[0] & PUT_MARKERS_IN) != 0) {
            byte[] plain = stream.clone();
            stream = new MarkerInserter(crc).insert(plain);
            if (crc) {
                mendCrcs(plain);
                checkSame(plain, stream);
            }
        } else if (crc && !markers && (input[0] & MEND_CRC) != 0) {
            mendCrcs(stream);
        }
        MpaAgreement.Framing framing = new MpaAgreement.Framing(crc, false, markers);
        Notes whole = new Notes();
        whole.take(stream, framing, stream.length);
        Notes cut = new Notes();
        cut.take(stream, framing, 1 + (input[1] & 0x1f));
        assertThat(cut.log.toString()).isEqualTo(whole.log.toString());
        assertThat(cut.boundary).isEqualTo(whole.boundary);
        assertThat(whole.delivered).isLessThanOrEqualTo(stream.length);
    }

    /** With CRC only complete FPDUs are delivered, so the end of each is visible. */
    private static void checkSame(byte[] plain, byte[] marked) {
        Notes without = new Notes();
        without.take(plain, new MpaAgreement.Framing(true, false, false), plain.length);
        Notes with = new Notes();
        with.take(marked, new MpaAgreement.Framing(true, false, true), marked.length);
        assertThat(with.log.toString()).isEqualTo(without.log.toString());
    }

    /** Corrects the CRC of each complete FPDU, so that mutated input passes the check. */
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

        void take(byte[] stream, MpaAgreement.Framing framing, int pieceBytes) {
            Deframer deframer = Deframer.of(this, framing);
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
                assertThat(framing.crc() || framing.receiveMarkers()).isTrue();
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
