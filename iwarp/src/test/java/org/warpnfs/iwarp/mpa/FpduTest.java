package org.warpnfs.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.Pieces;
import org.warpnfs.testkit.Capture;
import org.warpnfs.testkit.CapturedConnection;
import org.warpnfs.testkit.Seeds;
import org.warpnfs.testkit.StreamCutter;

/** FPDUs in both directions, with and without CRC. */
class FpduTest {
    /** Pairs of ULPDU and FPDU. Another implementation computed the CRCs. */
    private static final String[][] GOLDEN = {
        {
            "4143 00000000 00000000 00000001 00000000 52444d4121",
            "0017 4143 00000000 00000000 00000001 00000000 52444d4121 000000 489124f5"
        },
        {"c140 00000001 0000000000000000", "000e c140 00000001 0000000000000000 ebd34c5f"},
        {
            "4141 00000000 00000001 00000001 00000000 00001000 0000000000000010 00002000 abcdef01 1122334400005000",
            "002e 4141 00000000 00000001 00000001 00000000 00001000 0000000000000010 00002000 abcdef01"
                    + " 1122334400005000 e8197fad"
        },
        {
            "4147 00000000 00000002 00000001 00000000 20020000",
            "0016 4147 00000000 00000002 00000001 00000000 20020000 7fe42585"
        },
        {
            "4147 00000000 00000002 00000001 00000000 02020000",
            "0016 4147 00000000 00000002 00000001 00000000 02020000 75d367ed"
        }
    };

    /** Collects ULPDUs. */
    static final class Collector implements UlpduSink {
        final List<ByteBuffer> ulpdus = new ArrayList<>();
        private ByteBuffer current = ByteBuffer.allocate(0);

        @Override
        public void ulpduStarted(int lengthBytes) {
            current = ByteBuffer.allocate(lengthBytes);
        }

        @Override
        public void ulpduBytes(ByteBuffer bytes) {
            assertThat(bytes.hasRemaining()).isTrue();
            current.put(bytes);
        }

        @Override
        public void ulpduEnded() {
            assertThat(current.hasRemaining()).isFalse();
            ulpdus.add(current.flip());
        }
    }

    private static List<ByteBuffer> deframe(ByteBuffer stream, boolean crc, StreamCutter cutter)
            throws ProtocolViolation {
        Collector collector = new Collector();
        FpduDeframer deframer = new FpduDeframer(collector, crc);
        for (ByteBuffer piece : cutter.cut(stream)) {
            while (deframer.advance(piece)) {
                // Advance step by step.
            }
            assertThat(piece.hasRemaining()).isFalse();
        }
        assertThat(deframer.atBoundary()).isTrue();
        return collector.ulpdus;
    }

    static ByteBuffer frame(boolean crc, ByteBuffer header, ByteBuffer... payload) {
        FpduBatch batch = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
        FpduFramer framer = new FpduFramer(crc);
        int ulpduBytes = header.remaining();
        for (ByteBuffer piece : payload) {
            ulpduBytes += piece.remaining();
        }
        framer.start(batch, ulpduBytes).put(header.duplicate());
        for (ByteBuffer piece : payload) {
            framer.payload(batch, piece);
        }
        framer.end(batch);
        ByteBuffer out = ByteBuffer.allocate((int) batch.lengthBytes());
        batch.buffers().forEach(buffer -> out.put(buffer.duplicate()));
        assertThat(out.hasRemaining()).isFalse();
        return out.flip();
    }

    @Test
    void frame_goldenUlpdu_isTheGoldenFpdu() {
        for (String[] golden : GOLDEN) {
            ByteBuffer ulpdu = Hex.bytes(golden[0]);
            assertThat(frame(true, ulpdu)).isEqualTo(Hex.bytes(golden[1]));
            ByteBuffer headless = ulpdu.slice(14, ulpdu.remaining() - 14);
            assertThat(frame(true, ulpdu.slice(0, 14), headless)).isEqualTo(Hex.bytes(golden[1]));
        }
    }

    /** A range of bytes that the framer must not read. */
    private record UnreadRange(int lengthBytes) implements FileRange {
        @Override
        public Object store() {
            return this;
        }

        @Override
        public boolean isCached(int from, int partBytes) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        public int read(int from, ByteBuffer sink) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        public int sendTo(int socket, int from, int partBytes) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }

    @Test
    void frame_goldenUlpduInAFile_isTheGoldenFpduOfTheBytesThatWereReadLast() {
        FpduBatch batch = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
        FpduFramer framer = new FpduFramer(true);
        ByteBuffer expected = ByteBuffer.allocate(1000);
        for (String[] golden : GOLDEN) {
            ByteBuffer ulpdu = Hex.bytes(golden[0]);
            int inFile = ulpdu.remaining() - 14;
            framer.start(batch, ulpdu.remaining()).put(ulpdu.slice(0, 14));
            framer.payload(batch, new UnreadRange(3 + inFile), 3, inFile);
            framer.end(batch);
            expected.put(Hex.bytes(golden[1]));
        }
        ByteBuffer[] files = Arrays.stream(GOLDEN)
                .map(golden -> Hex.bytes(golden[0]))
                .filter(ulpdu -> ulpdu.remaining() > 14)
                .map(ulpdu -> ulpdu.slice(14, ulpdu.remaining() - 14))
                .toArray(ByteBuffer[]::new);
        List<Pieces.Part> parts = batch.pieces().parts();
        assertThat(parts).hasSameSizeAs(files).allMatch(part -> part.from() == 3);
        parts.forEach(part -> {
            part.trailer().complete(ByteBuffer.allocate(part.lengthBytes()));
            part.trailer().complete(files[parts.indexOf(part)]);
        });
        assertThat(SentPieces.bytes(batch.pieces(), part -> files[parts.indexOf(part)]))
                .isEqualTo(expected.flip());
    }

    /** Short frames of a file are few parts, whose bytes and CRCs are those of frames of memory. */
    @ParameterizedTest
    @CsvSource({"1448, true", "1448, false", "8948, true", "536, true", "1444, false", "1428, true", "512, true"})
    void frame_shortFramesOfAFile_areAsThoseOfMemory(int fpduBytes, boolean crc) {
        int from = 11;
        ByteBuffer file = ByteBuffer.allocate(100_003);
        for (int i = 0; i < file.capacity(); i++) {
            file.put(i, (byte) (i * 31 + i / 700));
        }
        FileRange range = new UnreadRange(file.capacity());
        FpduBatch ofFile = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
        FpduBatch ofMemory = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
        ofFile.makeFpdus(fpduBytes, fpduBytes);
        ofMemory.makeFpdus(fpduBytes, fpduBytes);
        FpduFramer framer = new FpduFramer(crc);
        int mulpduBytes = framer.mulpduBytes(fpduBytes);
        int frames = 0;
        for (int at = from; at < file.capacity() && framer.hasRoom(ofFile); frames++) {
            int payloadBytes = Math.min(mulpduBytes - 14, file.capacity() - at);
            for (FpduBatch batch : List.of(ofFile, ofMemory)) {
                ByteBuffer header = framer.start(batch, 14 + payloadBytes);
                header.put((byte) frames).put(new byte[13]);
                if (batch == ofFile) {
                    framer.payload(batch, range, at, payloadBytes);
                } else {
                    framer.payload(batch, file.slice(at, payloadBytes));
                }
                framer.end(batch);
                assertThat(batch.lengthBytes() % 4).isZero();
            }
            at += payloadBytes;
        }
        assertThat(ofFile.lengthBytes()).isEqualTo(ofMemory.lengthBytes());
        Pieces pieces = ofFile.pieces();
        assertThat(pieces.lengthBytes()).isEqualTo(ofMemory.lengthBytes());
        assertThat(pieces.parts()).hasSizeLessThanOrEqualTo(2).allMatch(Pieces.Part::seen);
        pieces.parts().stream().filter(part -> part.trailer() != null).forEach(part -> part.trailer()
                .complete(file.slice(part.from(), part.lengthBytes())));
        assertThat(SentPieces.bytes(pieces, part -> file.slice(part.from(), part.lengthBytes())))
                .isEqualTo(SentPieces.bytes(ofMemory.pieces(), part -> file));
    }

    /** A short message between two Writes of one file, which is copied as their headers are. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 30, 200})
    void frame_shortFrameBetweenTwoOfAFile_areAsThoseOfMemory(int betweenBytes) {
        ByteBuffer file = ByteBuffer.allocate(4000);
        for (int i = 0; i < file.capacity(); i++) {
            file.put(i, (byte) (i * 31 + i / 700));
        }
        FileRange range = new UnreadRange(file.capacity());
        FpduBatch ofFile = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
        FpduBatch ofMemory = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
        for (FpduBatch batch : List.of(ofFile, ofMemory)) {
            FpduFramer framer = new FpduFramer(true);
            batch.makeFpdus(1448, 1448);
            for (int at = 0; at < 1200; at += 400) {
                framer.start(batch, 414).put(new byte[14]);
                if (batch == ofFile) {
                    framer.payload(batch, range, at, 400);
                } else {
                    framer.payload(batch, file.slice(at, 400));
                }
                framer.end(batch);
                framer.start(batch, 18 + betweenBytes).put(new byte[18]);
                framer.payload(batch, ByteBuffer.allocate(betweenBytes));
                framer.end(batch);
            }
        }
        Pieces pieces = ofFile.pieces();
        pieces.parts().forEach(part -> part.trailer().complete(file.slice(part.from(), part.lengthBytes())));
        assertThat(SentPieces.bytes(pieces, part -> file.slice(part.from(), part.lengthBytes())))
                .isEqualTo(SentPieces.bytes(ofMemory.pieces(), part -> file));
    }

    /** What follows a short FPDU shares its segment if it fits, and begins the next if not. */
    @Test
    void frame_fpdusOfSegments_neitherCrossesTheEndOfOne() {
        FpduBatch batch = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
        batch.makeFpdus(1448, 1448);
        FpduFramer framer = new FpduFramer(false);
        for (int ulpduBytes : new int[] {1442, 1442, 94, 1338, 94, 1442, 1442, 94}) {
            framer.start(batch, ulpduBytes);
            framer.payload(batch, ByteBuffer.allocate(ulpduBytes));
            framer.end(batch);
        }
        assertThat(batch.pieces().inSegments()).isTrue();
        // 100 and 1344 share a segment, and so would 100 and 1344 in any order.
        assertThat(batch.pieces().segmentEnds()).containsExactly(2 * 1448L + 1444, 2 * 1448L + 1444 + 100);
        assertThat(batch.pieces().lengthBytes()).isEqualTo(4 * 1448 + 1444 + 200);
    }

    @Test
    void frame_fileBehindOtherPayload_isRefused() {
        FpduBatch batch = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
        FpduFramer framer = new FpduFramer(true);
        framer.start(batch, 20);
        framer.payload(batch, ByteBuffer.allocate(10));
        assertThatThrownBy(() -> framer.payload(batch, new UnreadRange(10), 0, 10))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void frame_crcOff_hasAZeroField() {
        ByteBuffer fpdu = frame(false, Hex.bytes(GOLDEN[1][0]));
        assertThat(Hex.of(fpdu)).isEqualTo("000ec140000000010000000000000000" + "00000000");
    }

    @Test
    void deframe_goldenFpdus_anyCut_areTheGoldenUlpdus() {
        List<ByteBuffer> expected = new ArrayList<>();
        StringBuilder stream = new StringBuilder();
        for (String[] golden : GOLDEN) {
            expected.add(Hex.bytes(golden[0]));
            stream.append(golden[1]);
        }
        ByteBuffer bytes = Hex.bytes(stream.toString());
        Seeds.each(30, seed -> {
            for (boolean crc : new boolean[] {false, true}) {
                assertThat(deframe(bytes, crc, StreamCutter.random(seed))).isEqualTo(expected);
                assertThat(deframe(bytes, crc, StreamCutter.every((int) seed))).isEqualTo(expected);
            }
        });
    }

    @Test
    void deframe_everyBitFlipped_isACrcErrorAndNothingIsDelivered() {
        ByteBuffer fpdu = Hex.bytes(GOLDEN[0][1]);
        for (int bit = 0; bit < fpdu.capacity() * 8; bit++) {
            ByteBuffer broken =
                    ByteBuffer.allocate(fpdu.capacity()).put(fpdu.duplicate()).flip();
            broken.put(bit / 8, (byte) (broken.get(bit / 8) ^ (1 << (bit % 8))));
            if (bit < 16) {
                // The length field itself was changed: the FPDU is shorter than its bytes, or longer than all that will
                // come.
                continue;
            }
            Collector collector = new Collector();
            FpduDeframer deframer = new FpduDeframer(collector, true);
            assertThatThrownBy(() -> deframer.advance(broken))
                    .isInstanceOfSatisfying(
                            MpaViolation.class, v -> assertThat(v.error()).isEqualTo(MpaError.CRC));
            assertThat(collector.ulpdus).isEmpty();
        }
    }

    @Test
    void deframe_everyTruncation_isNoBoundary() throws ProtocolViolation {
        for (boolean crc : new boolean[] {false, true}) {
            ByteBuffer fpdu = Hex.bytes(GOLDEN[0][1]);
            for (int length = 1; length < fpdu.capacity(); length++) {
                Collector collector = new Collector();
                FpduDeframer deframer = new FpduDeframer(collector, crc);
                ByteBuffer part = fpdu.slice(0, length);
                while (deframer.advance(part)) {
                    // Advance step by step.
                }
                assertThat(deframer.atBoundary()).isFalse();
                assertThat(collector.ulpdus).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 2", "1, 1", "2, 0", "3, 3", "14, 0", "65535, 3"})
    void padBytes_anyLength_makeAMultipleOfFour(int ulpduBytes, int padBytes) {
        assertThat(Fpdu.padBytes(ulpduBytes)).isEqualTo(padBytes);
        assertThat(Fpdu.lengthBytes(ulpduBytes) % 4).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 14, 15, 16, 17, 4096, 65_532, 65_533, 65_534, 65_535})
    void deframe_ulpduOfAnyLength_isWhatWasFramed(int lengthBytes) {
        ByteBuffer ulpdu = ByteBuffer.allocate(lengthBytes);
        for (int i = 0; i < lengthBytes; i++) {
            ulpdu.put(i, (byte) (i * 31));
        }
        Seeds.each(4, seed -> {
            for (boolean crc : new boolean[] {false, true}) {
                ByteBuffer fpdu = frame(crc, ByteBuffer.allocate(0), ulpdu);
                assertThat(deframe(fpdu, crc, StreamCutter.random(seed))).containsExactly(ulpdu);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"crc-both", "crc-client"})
    void deframe_linuxWithCrc_everyCrcIsGoodAndFramedAlike(String name) throws ProtocolViolation {
        CapturedConnection linux = Capture.load(name).connectionTo(20049);
        for (CapturedConnection.Side side : CapturedConnection.Side.values()) {
            ByteBuffer stream = wholeFpdus(afterStartup(linux.from(side)));
            List<ByteBuffer> ulpdus = deframe(stream, true, StreamCutter.whole());
            assertThat(ulpdus).hasSizeGreaterThan(10);
            ByteBuffer ours = ByteBuffer.allocate(stream.remaining());
            for (ByteBuffer ulpdu : ulpdus) {
                ByteBuffer fpdu = frame(true, ByteBuffer.allocate(0), ulpdu);
                // siw does not always send zeros as pad, and then its CRC differs.
                ByteBuffer theirs = stream.slice(ours.position(), fpdu.remaining());
                boolean zeroPad = true;
                for (int i = 0; i < Fpdu.padBytes(ulpdu.remaining()); i++) {
                    zeroPad &= theirs.get(Fpdu.LENGTH_BYTES + ulpdu.remaining() + i) == 0;
                }
                if (zeroPad) {
                    assertThat(fpdu).isEqualTo(theirs);
                }
                ours.put(theirs);
            }
            assertThat(ours.hasRemaining()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"knfsd-v3", "sizes-v4.1", "p2p", "crc-both", "recall-v4.1"})
    void deframe_linux_anyCut_isTheSame(String name) {
        CapturedConnection linux = Capture.load(name).connectionTo(20049);
        boolean crc = name.startsWith("crc");
        Seeds.each(3, seed -> {
            for (CapturedConnection.Side side : CapturedConnection.Side.values()) {
                ByteBuffer stream = wholeFpdus(afterStartup(linux.from(side)));
                List<ByteBuffer> whole = deframe(stream, crc, StreamCutter.whole());
                assertThat(deframe(stream, crc, StreamCutter.random(seed)).equals(whole))
                        .isTrue();
                int smallest = stream.remaining() < 100_000 ? 0 : 50;
                assertThat(deframe(stream, crc, StreamCutter.every(smallest + (int) seed))
                                .equals(whole))
                        .isTrue();
            }
        });
    }

    static ByteBuffer afterStartup(ByteBuffer stream) {
        int privateDataBytes = stream.getShort(18);
        return stream.position(20 + privateDataBytes).slice();
    }

    /** Captures end early. Drops the last FPDU if it is not complete. */
    private static ByteBuffer wholeFpdus(ByteBuffer stream) {
        int at = 0;
        while (stream.limit() - at >= 2 && Fpdu.lengthBytes(stream.getShort(at) & 0xffff) <= stream.limit() - at) {
            at += Fpdu.lengthBytes(stream.getShort(at) & 0xffff);
        }
        return stream.slice(0, at);
    }
}
