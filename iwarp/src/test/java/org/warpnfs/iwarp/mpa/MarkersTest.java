package org.warpnfs.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.testkit.Seeds;
import org.warpnfs.testkit.StreamCutter;

/** Streams with markers, in both directions (RFC 5044, sections 4.2 to 4.5). */
class MarkersTest {
    /** RFC 5044, figure 5: the first FPDU of a stream, with its leading marker. */
    private static final String FIGURE_5 = "00000000" + "002a" + "4143" + "00000000" + "00000000" + "00000001"
            + "00000000" + "00".repeat(24) + "52239983";

    /** RFC 5044, figure 6: an FPDU that begins 492 bytes after the start of its stream. */
    private static final String FIGURE_6 = "002a" + "4143" + "00000000" + "00000000" + "00000002" + "00000000"
            + "00000014" + "00".repeat(24) + "84925898";

    private static final String ULPDU_5 = "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "00".repeat(24);
    private static final String ULPDU_6 = "4143" + "00000000" + "00000000" + "00000002" + "00000000" + "00".repeat(24);

    /** The length of an FPDU of 488 bytes with the marker before it. */
    private static final int BYTES_BEFORE_FIGURE_6 = 492;

    private static Framer framer(boolean crc) {
        return Framer.of(new MpaAgreement.Framing(crc, true, false));
    }

    private static Deframer deframer(UlpduSink sink, boolean crc) {
        return Deframer.of(sink, new MpaAgreement.Framing(crc, false, true));
    }

    /** Frames each ULPDU in a batch of its own, and writes its first bytes as a header. */
    private static ByteBuffer frame(Framer framer, List<ByteBuffer> ulpdus) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (ByteBuffer ulpdu : ulpdus) {
            FpduBatch batch = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
            frame(framer, batch, ulpdu);
            write(batch, out);
        }
        return ByteBuffer.wrap(out.toByteArray());
    }

    private static void frame(Framer framer, FpduBatch batch, ByteBuffer ulpdu) {
        assertThat(framer.hasRoom(batch)).isTrue();
        int headerBytes = Math.min(ulpdu.remaining(), 18);
        framer.start(batch, ulpdu.remaining()).put(ulpdu.slice(0, headerBytes));
        if (ulpdu.remaining() > headerBytes) {
            framer.payload(batch, ulpdu.slice(headerBytes, ulpdu.remaining() - headerBytes));
        }
        framer.end(batch);
    }

    private static void write(FpduBatch batch, ByteArrayOutputStream out) {
        long before = out.size();
        for (ByteBuffer buffer : batch.buffers()) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            out.writeBytes(bytes);
        }
        assertThat(out.size() - before).isEqualTo(batch.lengthBytes());
    }

    /**
     * A simple byte-by-byte implementation of RFC 5044. A marker precedes each byte at a multiple of 512, and the CRC
     * covers all bytes written since the last one.
     */
    private static ByteBuffer asTheRfcSays(boolean crc, List<ByteBuffer> ulpdus) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (ByteBuffer ulpdu : ulpdus) {
            CRC32C sum = new CRC32C();
            ByteArrayOutputStream fpdu = new ByteArrayOutputStream();
            fpdu.write(ulpdu.remaining() >> 8);
            fpdu.write(ulpdu.remaining());
            for (int i = 0; i < ulpdu.remaining(); i++) {
                fpdu.write(ulpdu.get(ulpdu.position() + i));
            }
            while (fpdu.size() % 4 != 0) {
                fpdu.write(0);
            }
            int lengthAt = stream.size() % 512 == 0 ? stream.size() + 4 : stream.size();
            for (byte b : fpdu.toByteArray()) {
                markerIfDue(stream, lengthAt, sum);
                stream.write(b);
                sum.update(b);
            }
            markerIfDue(stream, lengthAt, sum);
            int value = crc ? (int) sum.getValue() : 0;
            for (int shift = 0; shift < 32; shift += 8) {
                stream.write(value >>> shift);
            }
        }
        return ByteBuffer.wrap(stream.toByteArray());
    }

    private static void markerIfDue(ByteArrayOutputStream stream, int lengthAt, CRC32C sum) {
        if (stream.size() % 512 == 0) {
            int pointer = Math.max(0, stream.size() - lengthAt);
            for (int b : new int[] {0, 0, pointer >> 8, pointer}) {
                stream.write(b);
                sum.update(b);
            }
        }
    }

    private static List<ByteBuffer> deframe(ByteBuffer stream, boolean crc, StreamCutter cutter)
            throws ProtocolViolation {
        FpduTest.Collector collector = new FpduTest.Collector();
        Deframer deframer = deframer(collector, crc);
        for (ByteBuffer piece : cutter.cut(stream)) {
            while (deframer.advance(piece)) {
                // Advance step by step.
            }
            assertThat(piece.hasRemaining()).isFalse();
        }
        assertThat(deframer.atBoundary()).isTrue();
        return collector.ulpdus;
    }

    private static ByteBuffer filler() {
        return ByteBuffer.allocate(BYTES_BEFORE_FIGURE_6 - 4 - 6);
    }

    private static List<ByteBuffer> randomUlpdus(long seed) {
        Random random = new Random(seed);
        List<ByteBuffer> ulpdus = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            byte[] bytes = new byte[random.nextInt(8) == 0 ? random.nextInt(65_019) : random.nextInt(700)];
            random.nextBytes(bytes);
            ulpdus.add(ByteBuffer.wrap(bytes));
        }
        return ulpdus;
    }

    @Test
    void frame_firstFpduOfAStream_isFigure5OfTheRfc() {
        assertThat(Hex.of(frame(framer(true), List.of(Hex.bytes(ULPDU_5))))).isEqualTo(FIGURE_5);
    }

    @Test
    void frame_fpduThatContainsAMarker_isFigure6OfTheRfc() {
        ByteBuffer stream = frame(framer(true), List.of(filler(), Hex.bytes(ULPDU_6)));
        ByteBuffer second = stream.slice(BYTES_BEFORE_FIGURE_6, stream.remaining() - BYTES_BEFORE_FIGURE_6);
        assertThat(Hex.of(second)).isEqualTo(FIGURE_6);
    }

    @Test
    void deframe_figures5And6_anyCut_areTheirUlpdus() {
        ByteBuffer filled = frame(framer(true), List.of(filler()));
        ByteBuffer stream = ByteBuffer.allocate(filled.remaining() + FIGURE_6.length() / 2)
                .put(filled)
                .put(Hex.bytes(FIGURE_6))
                .flip();
        Seeds.each(20, seed -> {
            for (StreamCutter cutter : List.of(StreamCutter.random(seed), StreamCutter.every((int) seed))) {
                assertThat(deframe(Hex.bytes(FIGURE_5), true, cutter)).containsExactly(Hex.bytes(ULPDU_5));
                assertThat(deframe(stream, true, cutter)).containsExactly(filler(), Hex.bytes(ULPDU_6));
            }
        });
    }

    @Test
    void frame_anyUlpdus_isWhatTheRfcSaysAcrossBatches() {
        Seeds.each(20, seed -> {
            List<ByteBuffer> ulpdus = randomUlpdus(seed);
            for (boolean crc : new boolean[] {false, true}) {
                assertThat(frame(framer(crc), ulpdus).equals(asTheRfcSays(crc, ulpdus)))
                        .isTrue();
            }
        });
    }

    @Test
    void frame_manyInOneBatch_isTheSame() {
        Seeds.each(20, seed -> {
            List<ByteBuffer> ulpdus = randomUlpdus(seed);
            Framer framer = framer(true);
            FpduBatch batch = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (ByteBuffer ulpdu : ulpdus) {
                if (!framer.hasRoom(batch)) {
                    write(batch, out);
                    batch = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
                }
                frame(framer, batch, ulpdu);
                assertThat(batch.buffers()).hasSizeLessThan(1024);
            }
            write(batch, out);
            assertThat(ByteBuffer.wrap(out.toByteArray()).equals(asTheRfcSays(true, ulpdus)))
                    .isTrue();
        });
    }

    @Test
    void deframe_anyUlpdusAnyCut_areWhatWasFramed() {
        Seeds.each(20, seed -> {
            List<ByteBuffer> ulpdus = randomUlpdus(seed);
            for (boolean crc : new boolean[] {false, true}) {
                ByteBuffer stream = asTheRfcSays(crc, ulpdus);
                for (StreamCutter cutter : List.of(
                        StreamCutter.whole(), StreamCutter.random(seed), StreamCutter.every(500 + (int) seed))) {
                    assertThat(deframe(stream, crc, cutter).equals(ulpdus)).isTrue();
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 14, 494, 498, 499, 500, 501, 502, 503, 506, 1010, 1014, 1018, 65_018})
    void frameAndDeframe_fpduThatEndsAroundAMarker_isRight(int ulpduBytes) throws ProtocolViolation {
        List<ByteBuffer> ulpdus = List.of(ByteBuffer.allocate(ulpduBytes), ByteBuffer.allocate(3));
        for (boolean crc : new boolean[] {false, true}) {
            ByteBuffer stream = frame(framer(crc), ulpdus);
            assertThat(stream).isEqualTo(asTheRfcSays(crc, ulpdus));
            assertThat(deframe(stream, crc, StreamCutter.every(1))).isEqualTo(ulpdus);
        }
    }

    @Test
    void deframe_everyBitFlipped_isACrcErrorAndNothingIsDelivered() {
        byte[] fpdu = new byte[FIGURE_6.length() / 2];
        Hex.bytes(FIGURE_6).get(fpdu);
        ByteBuffer before = frame(framer(true), List.of(filler()));
        for (int bit = 16; bit < fpdu.length * 8; bit++) {
            byte[] broken = fpdu.clone();
            broken[bit / 8] ^= (byte) (1 << (bit % 8));
            assertError(MpaError.CRC, before, broken, true);
        }
    }

    @Test
    void deframe_markerThatPointsElsewhere_isAMarkerError() {
        ByteBuffer before = frame(framer(false), List.of(filler()));
        for (String pointer : new String[] {"0000", "0010", "0018", "0114"}) {
            byte[] broken = new byte[FIGURE_6.length() / 2];
            Hex.bytes(FIGURE_6.replace("00000014", "0000" + pointer)).get(broken);
            assertError(MpaError.MARKER, before, broken, false);
        }
    }

    @Test
    void deframe_markerThatPointsElsewhereUnderAGoodCrc_isAMarkerError() {
        byte[] broken = new byte[FIGURE_6.length() / 2];
        Hex.bytes(FIGURE_6.replace("00000014", "00000018")).get(broken);
        CRC32C sum = new CRC32C();
        sum.update(broken, 0, broken.length - 4);
        for (int i = 0; i < 4; i++) {
            broken[broken.length - 4 + i] = (byte) (sum.getValue() >>> (8 * i));
        }
        assertError(MpaError.MARKER, frame(framer(true), List.of(filler())), broken, true);
    }

    @Test
    void deframe_firstMarkerNotZero_isAMarkerError() {
        byte[] broken = new byte[FIGURE_5.length() / 2];
        Hex.bytes(FIGURE_5.replaceFirst("^00000000", "00000004")).get(broken);
        assertError(MpaError.MARKER, ByteBuffer.allocate(0), broken, false);
    }

    @Test
    void deframe_reservedBitsOfAMarker_areIgnored() throws ProtocolViolation {
        // Sets the reserved field, and the last two bits of FPDUPTR.
        ByteBuffer stream = Hex.bytes(FIGURE_5.replaceFirst("^00000000", "ffff0003"));
        assertThat(deframe(stream, false, StreamCutter.whole())).containsExactly(Hex.bytes(ULPDU_5));
    }

    private static void assertError(MpaError error, ByteBuffer before, byte[] broken, boolean crc) {
        FpduTest.Collector collector = new FpduTest.Collector();
        Deframer deframer = deframer(collector, crc);
        ByteBuffer stream = ByteBuffer.allocate(before.remaining() + broken.length)
                .put(before.duplicate())
                .put(broken)
                .flip();
        assertThatThrownBy(() -> {
                    while (deframer.advance(stream)) {
                        // Advance step by step.
                    }
                })
                .isInstanceOfSatisfying(
                        MpaViolation.class, v -> assertThat(v.error()).isEqualTo(error));
        assertThat(collector.ulpdus).hasSize(before.hasRemaining() ? 1 : 0);
    }

    @Test
    void deframe_everyTruncation_isABoundaryOnlyBehindAnFpduOrABareMarker() throws ProtocolViolation {
        ByteBuffer stream = Hex.bytes(FIGURE_5);
        for (int length = 1; length < stream.limit(); length++) {
            FpduTest.Collector collector = new FpduTest.Collector();
            Deframer deframer = deframer(collector, length % 2 == 0);
            ByteBuffer part = stream.slice(0, length);
            while (deframer.advance(part)) {
                // Advance step by step.
            }
            assertThat(deframer.atBoundary()).isEqualTo(length == 4);
            assertThat(collector.ulpdus).isEmpty();
        }
    }

    /** EMSS - (6 + EMSS mod 4) without markers, EMSS - (6 + 4 * ceiling(EMSS / 512) + EMSS mod 4) with them. */
    @ParameterizedTest
    @CsvSource({
        "1448, 1442, 1430",
        "1428, 1422, 1410",
        "8948, 8942, 8870",
        "536, 530, 522",
        "512, 506, 502",
        "1398, 1390, 1378",
        "1447, 1438, 1426",
        "65483, 65474, 64962",
        "65536, 65530, 65018",
        "70000, 65535, 65018",
        "136, 130, 128",
        "88, 128, 128"
    })
    void mulpduBytes_anySegment_isWhatTheFormulaOfTheRfcSays(int emss, int without, int with) {
        assertThat(Framer.of(MpaAgreement.Framing.PLAIN).mulpduBytes(emss)).isEqualTo(without);
        int least = Integer.MAX_VALUE;
        for (int place = 0; place < 512; place += 4) {
            least = Math.min(least, framerAt(place).mulpduBytes(emss));
        }
        assertThat(least).isEqualTo(with);
    }

    /** The framer of a stream that has so many bytes. */
    private static Framer framerAt(int place) {
        Framer framer = framer(true);
        FpduBatch batch = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
        if (place >= 12) {
            framer.start(batch, place - 4 - Fpdu.LENGTH_BYTES - Fpdu.CRC_BYTES);
            framer.payload(batch, ByteBuffer.allocate(place - 4 - Fpdu.LENGTH_BYTES - Fpdu.CRC_BYTES));
            framer.end(batch);
            assertThat(batch.lengthBytes()).isEqualTo(place);
        } else {
            framer.rewind(512 - place & 511);
        }
        return framer;
    }

    /** At each place of the stream the longest FPDU fits a segment, and does not waste a word that could be filled. */
    @ParameterizedTest
    @ValueSource(ints = {536, 1428, 1448, 8948, 1398, 1447, 512})
    void mulpduBytes_atEachPlace_makesFpdusThatFillTheSegment(int emss) {
        int segment = emss & ~3;
        for (int place = 0; place < 512; place += 4) {
            Framer framer = framerAt(place);
            int ulpduBytes = framer.mulpduBytes(emss);
            FpduBatch batch = new FpduBatch(ByteBuffer.allocateDirect(FpduBatch.SCRATCH_BYTES));
            framer.start(batch, ulpduBytes);
            framer.payload(batch, ByteBuffer.allocate(ulpduBytes));
            framer.end(batch);
            // Where a marker is due at the end of the segment, it goes before the next FPDU.
            int markerAtEnd = Math.floorMod(place + segment - 4, 512) == 0 ? 4 : 0;
            assertThat(batch.lengthBytes()).as("place " + place).isEqualTo(segment - markerAtEnd);
        }
    }

    @Test
    void frame_longestUlpduAtAnyPlace_pointsBackToItsStartWithin16Bits() throws ProtocolViolation {
        int longest = framer(true).mulpduBytes(1 << 16);
        for (int offset = 0; offset < 512; offset += 4) {
            List<ByteBuffer> ulpdus = List.of(ByteBuffer.allocate(offset + 2), ByteBuffer.allocate(longest));
            assertThat(deframe(frame(framer(false), ulpdus), false, StreamCutter.whole()))
                    .isEqualTo(ulpdus);
        }
    }
}
