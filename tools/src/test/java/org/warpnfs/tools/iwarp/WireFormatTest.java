package org.warpnfs.tools.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.testkit.Capture;
import org.warpnfs.testkit.CapturedConnection;

/** Compares our messages with those of rping and of perftest 4.5 on Linux. */
class WireFormatTest {
    private static final int MPA_FRAME_BYTES = 24;
    private static final int LENGTH_AND_HEADER_BYTES = 20;
    private static final int PERFTEST_PORT = 18_515;

    /**
     * The control connections of ib_send_bw, ib_write_bw and ib_read_bw, in this order. Every second connection is one.
     */
    private static List<CapturedConnection> controls() {
        List<CapturedConnection> all = Capture.load("verbs-tools").connections().stream()
                .filter(connection -> connection.responder().getPort() == PERFTEST_PORT)
                .toList();
        return List.of(all.get(0), all.get(2), all.get(4));
    }

    /** The Sends of one direction. Each has one FPDU. */
    private static List<ByteBuffer> sends(ByteBuffer stream) {
        List<ByteBuffer> messages = new ArrayList<>();
        for (int at = MPA_FRAME_BYTES; at < stream.remaining(); ) {
            int ulpdu = Short.toUnsignedInt(stream.getShort(at));
            if (stream.get(at + 2) == 0x41) {
                messages.add(stream.slice(at + LENGTH_AND_HEADER_BYTES, ulpdu + Short.BYTES - LENGTH_AND_HEADER_BYTES));
            }
            at += (Short.BYTES + ulpdu + 3 & ~3) + Integer.BYTES;
        }
        return messages;
    }

    @Test
    void perftest_greetings_areOursByteForByte() {
        for (CapturedConnection control : controls()) {
            for (ByteBuffer direction : List.of(control.fromInitiator(), control.fromResponder())) {
                List<ByteBuffer> messages = sends(direction);
                for (int number = 0; number < PerftestGreeting.MESSAGES; number++) {
                    assertThat(PerftestGreeting.message(number)).isEqualTo(messages.get(number));
                    assertThat(PerftestGreeting.whyRefused(number, messages.get(number)))
                            .isNull();
                }
            }
        }
    }

    @Test
    void perftest_synchronisationWithoutDestination_isOursByteForByte() {
        for (CapturedConnection control : controls()) {
            for (int number : new int[] {4, 5}) {
                assertThat(PerftestDestination.NONE.encode())
                        .isEqualTo(sends(control.fromInitiator()).get(number));
            }
        }
    }

    @Test
    void perftest_destinationOfASendServer_isParsedAndEncodedAlike() {
        ByteBuffer message = sends(controls().get(0).fromInitiator()).get(6);
        PerftestDestination destination = PerftestDestination.parse(message);
        assertThat(destination).isNotNull();
        assertThat(destination.memory().stag()).isEqualTo(0xae32_2b00L);
        assertThat(destination.memory().taggedOffset()).isEqualTo(0x558b_b835_e144L);
        assertThat(destination.outstandingReads()).isEqualTo(1);
        ByteBuffer ours = destination.encode();
        assertThat(ours.slice(0, 8)).isEqualTo(message.slice(0, 8));
        assertThat(ours.slice(16, 4)).isEqualTo(message.slice(16, 4));
        assertThat(ours.slice(24, 8)).isEqualTo(message.slice(24, 8));
    }

    @Test
    void perftest_lengthsOfMessages_areWhatOurClientAndServerExpect() {
        int[] sends = {16, 4, 4, 2, 56, 56, 56, 56, 56, 56, 56};
        int[] others = {16, 4, 4, 2, 56, 56, 56, 56, 56, 56, 8, 8, 8, 8, 8, 56};
        List<CapturedConnection> controls = controls();
        for (int i = 0; i < controls.size(); i++) {
            for (ByteBuffer direction :
                    List.of(controls.get(i).fromInitiator(), controls.get(i).fromResponder())) {
                assertThat(sends(direction).stream().mapToInt(ByteBuffer::remaining))
                        .containsExactly(box(i == 0 ? sends : others));
            }
        }
    }

    private static Integer[] box(int[] values) {
        return Arrays.stream(values).boxed().toArray(Integer[]::new);
    }

    @Test
    void rping_advertisement_isParsedAndEncodedAlike() {
        ByteBuffer message = sends(Capture.load("verbs-tools")
                        .connectionTo(TestKind.PING.defaultPort())
                        .fromInitiator())
                .getFirst();
        PingAdvertisement advertisement = PingAdvertisement.parse(message);
        assertThat(advertisement).isNotNull();
        assertThat(advertisement.lengthBytes()).isEqualTo(64);
        assertThat(advertisement.encode()).isEqualTo(message);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 15, 17, 55, 57})
    void message_ofAnyOtherLength_isNone(int bytes) {
        assertThat(PingAdvertisement.parse(ByteBuffer.allocate(bytes))).isNull();
        assertThat(PerftestDestination.parse(ByteBuffer.allocate(bytes))).isNull();
        assertThat(PerftestGreeting.whyRefused(0, ByteBuffer.allocate(bytes))).contains("no perftest");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5.69", "no number", "-1"})
    void perftest_versionTooOldOrNone_isRefused(String version) {
        byte[] bytes = Arrays.copyOf(version.getBytes(StandardCharsets.US_ASCII), 16);
        assertThat(PerftestGreeting.whyRefused(0, ByteBuffer.wrap(bytes))).isNotNull();
    }

    @Test
    void pingText_ofAnySize_hasOneNulAtItsEndAndDiffersFromTheNext() {
        for (int bytes = PingText.MIN_BYTES; bytes < 300; bytes++) {
            ByteBuffer text = ByteBuffer.allocate(bytes);
            ByteBuffer next = ByteBuffer.allocate(bytes);
            PingText.write(text, 7);
            PingText.write(next, 8);
            assertThat(PingText.lengthWithNul(text, bytes)).isEqualTo(bytes);
            assertThat(text.mismatch(next)).isNotNegative();
        }
        assertThat(PingText.lengthWithNul(ByteBuffer.wrap(new byte[] {1, 0, 1}), 3))
                .isEqualTo(2);
        assertThat(PingText.lengthWithNul(ByteBuffer.wrap(new byte[] {1, 1, 1, 0}), 3))
                .isEqualTo(3);
    }
}
