package org.warpnfs.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.testkit.Seeds;

/** How messages are cut into segments (RFC 5041, sections 4 and 5.2). */
class DdpMessageTest {
    private record Segment(ByteBuffer header, ByteBuffer payload, int mulpduBytes) {
        int lengthBytes() {
            return header.remaining() + payload.remaining();
        }

        boolean last() {
            return (header.get(0) & 0x40) != 0;
        }
    }

    private static List<Segment> cut(DdpMessage message, IntSupplier mulpdu) {
        List<Segment> segments = new ArrayList<>();
        while (!message.ended()) {
            int mulpduBytes = mulpdu.getAsInt();
            int payloadBytes = message.nextPayloadBytes(mulpduBytes);
            ByteBuffer header = ByteBuffer.allocate(message.headerBytes());
            message.encodeHeader(header, payloadBytes);
            ByteArrayOutputStream payload = new ByteArrayOutputStream();
            while (payload.size() < payloadBytes) {
                ByteBuffer piece = message.payload().next(payloadBytes - payload.size());
                byte[] bytes = new byte[piece.remaining()];
                piece.get(bytes);
                payload.writeBytes(bytes);
            }
            segments.add(new Segment(header.flip(), ByteBuffer.wrap(payload.toByteArray()), mulpduBytes));
        }
        return segments;
    }

    private static List<ByteBuffer> gather(byte[] bytes, SplittableRandom random) {
        List<ByteBuffer> pieces = new ArrayList<>();
        for (int from = 0; from < bytes.length; ) {
            int length = random.nextInt(Math.min(bytes.length - from, 5_000) + 1);
            pieces.add(ByteBuffer.wrap(bytes, from, length));
            from += length;
        }
        return pieces;
    }

    private static byte[] payloadOf(List<Segment> segments) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        segments.forEach(segment -> all.writeBytes(segment.payload().array()));
        return all.toByteArray();
    }

    private static void assertCut(List<Segment> segments, byte[] bytes) {
        assertThat(segments).isNotEmpty();
        assertThat(payloadOf(segments)).isEqualTo(bytes);
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            boolean end = i == segments.size() - 1;
            assertThat(segment.last()).isEqualTo(end);
            assertThat(segment.header().get(0) & 0x3f).isEqualTo(1);
            assertThat(segment.lengthBytes()).isLessThanOrEqualTo(segment.mulpduBytes());
            if (!end) {
                // Segments are filled completely, so that no message takes more segments than necessary.
                assertThat(segment.lengthBytes()).isEqualTo(segment.mulpduBytes());
            }
            if (segments.size() > 1) {
                assertThat(segment.payload().hasRemaining()).isTrue();
            }
        }
    }

    /**
     * Checks that every field except L and the offset is the same in all segments, and that offsets count the payload
     * before.
     */
    private static void assertTagged(List<Segment> segments, int ulp, long stag, long to) {
        long offset = to;
        for (Segment segment : segments) {
            assertThat(TaggedHeader.parse(segment.header()))
                    .isEqualTo(new TaggedHeader(segment.last(), ulp, stag, offset));
            assertThat(segment.header().get(0) & 0x80).isEqualTo(0x80);
            offset += segment.payload().remaining();
        }
    }

    private static void assertUntagged(List<Segment> segments, int ulp, long word, int qn, int msn) {
        long offset = 0;
        for (Segment segment : segments) {
            assertThat(UntaggedHeader.parse(segment.header()))
                    .isEqualTo(new UntaggedHeader(segment.last(), ulp, word, qn, msn, offset));
            assertThat(segment.header().get(0) & 0x80).isZero();
            offset += segment.payload().remaining();
        }
    }

    private static void cutBoth(SplittableRandom random, IntSupplier mulpdu) {
        byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(60_000)];
        random.nextBytes(bytes);
        int ulp = random.nextInt(256);
        long word = random.nextLong(1L << 32);
        long stag = random.nextLong(1L << 32);
        long to = random.nextLong();
        List<Segment> tagged = cut(new DdpMessage.Tagged(ulp, stag, to, gather(bytes, random)), mulpdu);
        assertCut(tagged, bytes);
        assertTagged(tagged, ulp, stag, to);
        int qn = random.nextInt(4);
        int msn = random.nextInt();
        List<Segment> untagged = cut(new DdpMessage.Untagged(ulp, word, qn, msn, gather(bytes, random)), mulpdu);
        assertCut(untagged, bytes);
        assertUntagged(untagged, ulp, word, qn, msn);
    }

    @Test
    void cut_anyLengthAnyMulpdu_segmentsCarryTheMessageInOrder() {
        Seeds.each(300, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            int mulpduBytes = random.nextBoolean() ? 128 + random.nextInt(1_400) : 128 + random.nextInt(65_408);
            cutBoth(random, () -> mulpduBytes);
        });
    }

    @Test
    void cut_mulpduChangesFromSegmentToSegment_offsetsStayExact() {
        Seeds.each(200, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            int[] sizes = {1500, 600, 9000, 128};
            cutBoth(random, () -> sizes[random.nextInt(sizes.length)]);
        });
    }

    @Test
    void cut_emptyMessage_isOneSegmentWithoutPayload() {
        List<Segment> tagged = cut(new DdpMessage.Tagged(0x40, 0, 0, List.of()), () -> 1500);
        assertThat(tagged).hasSize(1);
        assertThat(Hex.of(tagged.getFirst().header())).isEqualTo("c140" + "00000000" + "0000000000000000");
        List<Segment> untagged = cut(
                new DdpMessage.Untagged(0, 0, 0, 1, List.of(ByteBuffer.allocate(0), ByteBuffer.allocate(0))),
                () -> 1500);
        assertThat(untagged).hasSize(1);
        assertThat(Hex.of(untagged.getFirst().header()))
                .isEqualTo("4100" + "00000000" + "00000000" + "00000001" + "00000000");
        assertThat(tagged.getFirst().payload().remaining()
                        + untagged.getFirst().payload().remaining())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"1482, 1", "1483, 2", "2964, 2", "2965, 3"})
    void cut_untaggedAroundTheMulpdu_hasAsFewSegmentsAsItCan(int lengthBytes, int segments) {
        assertThat(cut(new DdpMessage.Untagged(0x43, 0, 0, 1, List.of(ByteBuffer.allocate(lengthBytes))), () -> 1500))
                .hasSize(segments);
    }

    @Test
    void cut_longestMessage_offsetsReachTheirLastValue() {
        ByteBuffer megabyte = ByteBuffer.allocateDirect(1 << 20);
        List<ByteBuffer> pieces = new ArrayList<>(Collections.nCopies(4095, megabyte));
        pieces.add(megabyte.slice(0, (1 << 20) - 1));
        long lengthBytes = (1L << 32) - 1;
        DdpMessage.Untagged message = new DdpMessage.Untagged(0x43, 0, 0, 1, pieces);
        ByteBuffer header = ByteBuffer.allocate(UntaggedHeader.BYTES);
        long sent = 0;
        while (!message.ended()) {
            int payloadBytes = message.nextPayloadBytes(65_530);
            message.encodeHeader(header.clear(), payloadBytes);
            assertThat(UntaggedHeader.parse(header.flip()).mo()).isEqualTo(sent);
            for (int left = payloadBytes; left > 0; ) {
                left -= message.payload().next(left).remaining();
            }
            sent += payloadBytes;
        }
        assertThat(sent).isEqualTo(lengthBytes);
        assertThat(UntaggedHeader.parse(header).mo()).isGreaterThan(0xffff_0000L);
    }
}
