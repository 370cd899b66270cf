package org.warpnfs.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.testkit.Seeds;

/** Segments written by hand, octet by octet, and their effect (RFC 5041, sections 5 and 7). */
class DdpReceiverTest {
    private final ScriptedUlp ulp = new ScriptedUlp();

    @BeforeEach
    void queues() {
        ulp.queue(0, 1);
        ulp.queue(2, 1);
    }

    @Test
    void tagged_twoBuffers_eachGetsWhatNamesIt() throws ProtocolViolation {
        ByteBuffer waiting = ulp.post(0, 8);
        ScriptedUlp.Area first = ulp.area(0x01020304, 0x1000, 8);
        ScriptedUlp.Area second = ulp.area(0xfffffffeL, 0x1000, 8);
        ulp.segment("81a5 01020304 0000000000001003 aabbcc");
        ulp.segment("c1a5 01020304 0000000000001006 dd");
        ulp.segment("c15a fffffffe 0000000000001000 0102030405060708");
        assertThat(Hex.of(first.memory())).isEqualTo("000000" + "aabbcc" + "dd" + "00");
        assertThat(Hex.of(second.memory())).isEqualTo("0102030405060708");
        assertThat(Hex.of(waiting)).isEqualTo("00".repeat(8));
        assertThat(ulp.queues.get(0L).size()).isEqualTo(1);
        assertThat(ulp.heard)
                .containsExactly(
                        "placed a5 stag 01020304 to 1003: 3 bytes",
                        "ended a5 stag 01020304 to 1006: 1 bytes",
                        "ended 5a stag fffffffe to 1000: 8 bytes");
    }

    @Test
    void untagged_severalQueues_eachHasItsOwnBuffersAndNumbers() throws ProtocolViolation {
        ScriptedUlp.Area area = ulp.area(1, 0, 8);
        ByteBuffer first = ulp.post(0, 4);
        ByteBuffer second = ulp.post(0, 4);
        ByteBuffer control = ulp.post(2, 4);
        ulp.segment("4143 deadbeef 00000000 00000001 00000000 aabb");
        // The same MSN on another queue is another message. It is not affected when queue 0 is empty later.
        ulp.segment("4147 01020304 00000002 00000001 00000000 cc");
        ulp.segment("415a 00000000 00000000 00000002 00000000 ddeeff00");
        assertThat(ulp.heard)
                .containsExactly(
                        "delivered 43deadbeef qn 0 msn 00000001: aabb",
                        "delivered 4701020304 qn 2 msn 00000001: cc",
                        "delivered 5a00000000 qn 0 msn 00000002: ddeeff00");
        assertThat(List.of(Hex.of(first), Hex.of(second), Hex.of(control)))
                .containsExactly("aabb0000", "ddeeff00", "cc000000");
        assertThat(Hex.of(area.memory())).isEqualTo("00".repeat(8));
    }

    @Test
    void untagged_oneQueueEmpty_othersGoOn() throws ProtocolViolation {
        ulp.post(2, 4);
        ulp.segment("4147 00000000 00000002 00000001 00000000 cc");
        assertThat(ulp.heard).containsExactly("delivered 4700000000 qn 2 msn 00000001: cc");
        assertThat(ulp.errorOf("4143 00000000 00000000 00000001 00000000 cc")).isEqualTo(DdpError.UNTAGGED_NO_BUFFER);
    }

    @Test
    void untagged_lastNotSeen_nothingIsDelivered() throws ProtocolViolation {
        ByteBuffer memory = ulp.post(0, 4);
        ulp.segment("0143 00000000 00000000 00000001 00000000 aabb");
        ulp.segment("0143 00000000 00000000 00000001 00000002 ccdd");
        assertThat(Hex.of(memory)).isEqualTo("aabbccdd");
        assertThat(ulp.heard).isEmpty();
        assertThat(ulp.queues.get(0L).inMessage()).isTrue();
        // An empty last segment ends the message. The message length is its MO plus its payload.
        ulp.segment("4143 00000000 00000000 00000001 00000004");
        assertThat(ulp.heard).containsExactly("delivered 4300000000 qn 0 msn 00000001: aabbccdd");
    }

    @Test
    void untagged_segmentsInEveryOrderTwiceAndOverlapping_messageIsWholeAndDeliveredOnce() {
        Seeds.each(200, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            ScriptedUlp other = new ScriptedUlp();
            other.queue(0, 1);
            int lengthBytes = 1 + random.nextInt(600);
            byte[] message = new byte[lengthBytes];
            random.nextBytes(message);
            ByteBuffer memory = other.post(0, 600);
            List<int[]> pieces = new ArrayList<>();
            for (int from = 0; from < lengthBytes; ) {
                int length = Math.min(lengthBytes - from, 1 + random.nextInt(80));
                pieces.add(new int[] {from, length});
                if (random.nextInt(3) == 0) {
                    pieces.add(new int[] {from / 2, length});
                }
                from += length;
            }
            Collections.shuffle(pieces, new Random(seed));
            for (int[] piece : pieces) {
                other.segment(untagged(false, 1, piece[0], message, piece[1]), 1 + random.nextInt(40));
            }
            assertThat(other.heard).isEmpty();
            int lastBytes = random.nextInt(lengthBytes);
            other.segment(untagged(true, 1, lengthBytes - lastBytes, message, lastBytes), 1 + random.nextInt(40));
            assertThat(other.heard)
                    .containsExactly("delivered 4300000000 qn 0 msn 00000001: " + Hex.of(ByteBuffer.wrap(message)));
            assertThat(Hex.of(memory.slice(lengthBytes, 600 - lengthBytes))).matches("(00)*");
        });
    }

    private static ByteBuffer untagged(boolean last, int msn, int mo, byte[] message, int lengthBytes) {
        return Hex.bytes((last ? "4143" : "0143")
                + String.format("%08x%08x%08x%08x", 0, 0, msn, mo)
                + Hex.of(ByteBuffer.wrap(message, mo, lengthBytes)));
    }

    @Test
    void untagged_queuesAndWritesInterleaved_areReassembledEachByItself() throws ProtocolViolation {
        ScriptedUlp.Area area = ulp.area(7, 0, 4);
        ulp.post(0, 4);
        ulp.post(2, 4);
        ulp.segment("0143 00000000 00000000 00000001 00000000 aa");
        ulp.segment("8140 00000007 0000000000000000 11");
        ulp.segment("0147 00000000 00000002 00000001 00000000 bb");
        ulp.segment("c140 00000007 0000000000000001 22");
        ulp.segment("4143 00000000 00000000 00000001 00000001 cc");
        ulp.segment("4147 00000000 00000002 00000001 00000001 dd");
        assertThat(Hex.of(area.memory())).isEqualTo("11220000");
        assertThat(ulp.heard)
                .containsExactly(
                        "placed 40 stag 00000007 to 0: 1 bytes",
                        "ended 40 stag 00000007 to 1: 1 bytes",
                        "delivered 4300000000 qn 0 msn 00000001: aacc",
                        "delivered 4700000000 qn 2 msn 00000001: bbdd");
    }

    @Test
    void untagged_otherRsvdUlpWithinAMessage_isToldToTheUpperLayer() throws ProtocolViolation {
        ulp.post(0, 4);
        ulp.segment("0144 01020304 00000000 00000001 00000000 aa");
        ulp.segment("4144 01020305 00000000 00000001 00000001 bb");
        assertThat(ulp.heard)
                .containsExactly("another RsvdULP within a message", "delivered 4401020305 qn 0 msn 00000001: aabb");
    }

    @Test
    void untagged_msnWraps_zeroFollowsTheLargest() throws ProtocolViolation {
        ulp.queue(0, 0xffff_fffe);
        for (String msn : new String[] {"fffffffe", "ffffffff", "00000000", "00000001"}) {
            ulp.post(0, 4);
            ulp.segment("4143 00000000 00000000" + msn + "00000000");
        }
        assertThat(ulp.heard).hasSize(4);
        assertThat(ulp.heard.getLast()).contains("msn 00000001");
        assertThat(ulp.errorOf("4143 00000000 00000000 ffffffff 00000000")).isEqualTo(DdpError.UNTAGGED_MSN_RANGE);
    }

    @Test
    void untagged_aMillionEmptySegments_keepNothing() throws ProtocolViolation {
        ulp.post(0, 100);
        for (int i = 0; i < 1_000_000; i++) {
            ulp.segment(String.format("0143 00000000 00000000 00000001 %08x", i % 101));
        }
        ulp.segment("4143 00000000 00000000 00000001 00000000 aa");
        assertThat(ulp.heard).containsExactly("delivered 4300000000 qn 0 msn 00000001: aa");
    }

    @Test
    void untagged_moreGapsThanTheLimit_isRefused() throws ProtocolViolation {
        ulp.post(0, 1000);
        for (int i = 0; i < 64; i++) {
            ulp.segment(String.format("0143 00000000 00000000 00000001 %08x aa", 2 * i + 1));
        }
        assertThat(ulp.errorOf(String.format("0143 00000000 00000000 00000001 %08x aa", 129)))
                .isEqualTo(DdpError.UNTAGGED_MO);
    }

    @ParameterizedTest
    @CsvSource({
        // a buffer of 100 bytes for MSN 1, nothing else posted
        "00000003 00000001 00000000, 1, UNTAGGED_QN",
        "00000007 00000001 00000000, 0, UNTAGGED_QN",
        "ffffffff 00000001 00000000, 1, UNTAGGED_QN",
        "00000002 00000001 00000000, 1, UNTAGGED_NO_BUFFER",
        "00000002 00000001 00000000, 0, UNTAGGED_NO_BUFFER",
        "00000002 00000002 00000000, 0, UNTAGGED_MSN_RANGE",
        "00000000 00000000 00000000, 1, UNTAGGED_MSN_RANGE",
        "00000000 00000002 00000000, 1, UNTAGGED_MSN_RANGE",
        "00000000 00000005 00000000, 1, UNTAGGED_MSN_RANGE",
        "00000000 80000000 00000000, 1, UNTAGGED_MSN_RANGE",
        "00000000 80000001 00000000, 1, UNTAGGED_MSN_RANGE",
        "00000000 ffffffff 00000000, 1, UNTAGGED_MSN_RANGE",
        "00000000 00000001 00000065, 1, UNTAGGED_MO",
        "00000000 00000001 00000065, 0, UNTAGGED_MO",
        "00000000 00000001 ffffffff, 1, UNTAGGED_MO",
        "00000000 00000001 fffffff0, 32, UNTAGGED_MO",
        "00000000 00000001 00000064, 1, UNTAGGED_TOO_LONG",
        "00000000 00000001 00000032, 51, UNTAGGED_TOO_LONG",
        "00000000 00000001 00000000, 101, UNTAGGED_TOO_LONG",
        "00000000 00000001 00000032, 50, ",
        "00000000 00000001 00000063, 1, ",
        "00000000 00000001 00000064, 0, "
    })
    void untagged_atEachLimit_isPlacedOrNamedAndNotPlaced(String fields, int payloadBytes, DdpError error) {
        ByteBuffer memory = ulp.post(0, 100);
        assertThat(ulp.errorOf("0143 00000000" + fields + "aa".repeat(payloadBytes)))
                .isEqualTo(error);
        assertThat(Hex.of(memory).replace("00", "")).isEqualTo(error == null ? "aa".repeat(payloadBytes) : "");
        assertThat(ulp.heard).isEmpty();
    }

    @Test
    void untagged_msnDelivered_isNotTakenAgain_andTheNextNeedsItsBuffer() throws ProtocolViolation {
        ulp.post(0, 4);
        String first = "4143 00000000 00000000 00000001 00000000 aa";
        ulp.segment(first);
        assertThat(ulp.errorOf(first)).isEqualTo(DdpError.UNTAGGED_MSN_RANGE);
        String second = "4143 00000000 00000000 00000002 00000000 bb";
        assertThat(ulp.errorOf(second)).isEqualTo(DdpError.UNTAGGED_NO_BUFFER);
        ulp.post(0, 4);
        ulp.segment(second);
        assertThat(ulp.heard)
                .containsExactly(
                        "delivered 4300000000 qn 0 msn 00000001: aa", "delivered 4300000000 qn 0 msn 00000002: bb");
    }

    @ParameterizedTest
    @CsvSource({
        // STag 1 is [1000, 1100), STag 2 spans 2^63, STag 3 ends at 2^64 - 1, the highest end there can be
        "1, 00000000000003e7, 1, TAGGED_BOUNDS",
        "1, 00000000000003e7, 2, TAGGED_BOUNDS",
        "1, 000000000000044c, 1, TAGGED_BOUNDS",
        "1, 000000000000044d, 1, TAGGED_BOUNDS",
        "1, 000000000000041a, 51, TAGGED_BOUNDS",
        "1, 00000000000003e8, 101, TAGGED_BOUNDS",
        "1, 80000000000003e8, 1, TAGGED_BOUNDS",
        "1, fffffffffffffff8, 16, TAGGED_TO_WRAP",
        "1, ffffffffffffffff, 1, TAGGED_TO_WRAP",
        "1, 000000000000041a, 50, ",
        "1, 00000000000003e8, 100, ",
        "1, 000000000000044b, 1, ",
        "2, 7ffffffffffffffc, 8, ",
        "2, 8000000000000007, 2, TAGGED_BOUNDS",
        "3, fffffffffffffff7, 8, ",
        "3, fffffffffffffff7, 9, TAGGED_TO_WRAP",
        "4, 0000000000000000, 1, TAGGED_INVALID_STAG"
    })
    void tagged_atEachLimit_isPlacedOrNamedAndNotPlaced(int stag, String to, int payloadBytes, DdpError error) {
        ulp.area(1, 1000, 100);
        ulp.area(2, 0x7fff_ffff_ffff_fff8L, 16);
        ulp.area(3, -9L, 8);
        assertThat(ulp.errorOf(String.format("c140%08x", stag) + to + "aa".repeat(payloadBytes)))
                .isEqualTo(error);
        StringBuilder placed = new StringBuilder();
        ulp.areas.values().forEach(area -> {
            area.assertGuarded();
            placed.append(Hex.of(area.memory()).replace("00", ""));
        });
        assertThat(placed.toString()).isEqualTo(error == null ? "aa".repeat(payloadBytes) : "");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3})
    void anySegment_otherDdpVersionOnTheStream_isNamed(int version) throws ProtocolViolation {
        ScriptedUlp.Area area = ulp.area(1, 0, 4);
        ByteBuffer memory = ulp.post(0, 4);
        ulp.segment("8140 00000001 0000000000000000");
        String tagged = String.format("%02x40 00000001 0000000000000000 aa", 0xc0 | version);
        assertThat(ulp.errorOf(tagged)).isEqualTo(DdpError.TAGGED_VERSION);
        String untagged = String.format("%02x43 00000000 00000000 00000001 00000000 aa", 0x40 | version);
        assertThat(ulp.errorOf(untagged)).isEqualTo(DdpError.UNTAGGED_VERSION);
        assertThat(Hex.of(area.memory()) + Hex.of(memory)).isEqualTo("00".repeat(8));
    }

    @Test
    void emptyTaggedSegment_anyStagAnyOffset_isNotChecked() throws ProtocolViolation {
        ulp.segment("c140 deadbeef ffffffffffffffff");
        ulp.segment("8140 00000000 0000000000000000");
        assertThat(ulp.heard)
                .containsExactly(
                        "ended 40 stag deadbeef to ffffffffffffffff: 0 bytes", "placed 40 stag 00000000 to 0: 0 bytes");
    }

    @Test
    void anySegment_severalThingsWrong_theFirstOfTheOrderIsNamed() {
        // The order of checks for untagged segments is version, queue, MSN, buffer, MO, length; for tagged segments it
        // is version, STag, wrap, bounds.
        assertThat(ulp.errorOf("4043 00000000 00000009 00000009 00000009 aa")).isEqualTo(DdpError.UNTAGGED_VERSION);
        assertThat(ulp.errorOf("4143 00000000 00000009 00000009 00000009 aa")).isEqualTo(DdpError.UNTAGGED_QN);
        assertThat(ulp.errorOf("4143 00000000 00000000 00000009 00000009 aa")).isEqualTo(DdpError.UNTAGGED_MSN_RANGE);
        assertThat(ulp.errorOf("4143 00000000 00000000 00000001 00000009 aa")).isEqualTo(DdpError.UNTAGGED_NO_BUFFER);
        ulp.post(0, 4);
        assertThat(ulp.errorOf("4143 00000000 00000000 00000001 00000009" + "aa".repeat(9)))
                .isEqualTo(DdpError.UNTAGGED_MO);
        ulp.area(1, 0, 4);
        assertThat(ulp.errorOf("c040 00000009 ffffffffffffffff aa")).isEqualTo(DdpError.TAGGED_VERSION);
        assertThat(ulp.errorOf("c140 00000009 ffffffffffffffff aa")).isEqualTo(DdpError.TAGGED_INVALID_STAG);
        assertThat(ulp.errorOf("c140 00000001 ffffffffffffffff aa")).isEqualTo(DdpError.TAGGED_TO_WRAP);
    }

    @Test
    void randomSegments_anyCut_guardsStandAndNothingButViolationsIsThrown() {
        Seeds.each(150, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            ScriptedUlp other = new ScriptedUlp();
            other.queue(0, 1);
            other.queue(1, 1);
            other.queue(2, 1);
            ScriptedUlp.Area low = other.area(1, 0, 200);
            ScriptedUlp.Area high = other.area(2, -300L, 200);
            for (int i = 0; i < 20; i++) {
                other.post(random.nextInt(3), random.nextInt(200));
            }
            for (int i = 0; i < 2_000; i++) {
                ByteBuffer segment = randomSegment(random);
                try {
                    other.segment(segment, 1 + random.nextInt(40));
                } catch (ProtocolViolation expected) {
                    assertThat(expected.detail()).isNotEmpty();
                }
            }
            low.assertGuarded();
            high.assertGuarded();
        });
    }

    /** A segment that is mostly valid, so that some segments pass the first checks. */
    private static ByteBuffer randomSegment(SplittableRandom random) {
        ByteBuffer segment = ByteBuffer.allocate(18 + random.nextInt(random.nextBoolean() ? 40 : 300));
        byte[] noise = new byte[segment.capacity()];
        random.nextBytes(noise);
        segment.put(noise).flip();
        if (random.nextInt(10) == 0) {
            return segment.limit(random.nextInt(segment.limit() + 1));
        }
        boolean tagged = random.nextBoolean();
        segment.put(0, (byte) ((tagged ? 0x81 : 0x01) | (random.nextBoolean() ? 0x40 : 0)));
        long[] near = {0, 100, 199, 200, -300, -301, -101, -100, -1, 1L << 63, random.nextLong()};
        if (tagged) {
            segment.putInt(2, random.nextInt(4));
            segment.putLong(6, near[random.nextInt(near.length)] + random.nextInt(3) - 1);
        } else {
            segment.putInt(6, random.nextInt(4));
            segment.putInt(10, 1 + random.nextInt(3));
            segment.putInt(14, (int) (near[random.nextInt(near.length)] + random.nextInt(3)));
        }
        return segment;
    }
}
