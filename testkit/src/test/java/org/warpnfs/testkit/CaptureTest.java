package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "knfsd-v3",
                "knfsd-v4.1",
                "knfsd-v4.2",
                "sizes-v3",
                "sizes-v4.1",
                "recall-v4.1",
                "crc-both",
                "crc-client",
                "p2p"
            })
    void load_anyCaptureOfAMount_startsWithTheMpaKeys(String name) {
        CapturedConnection connection = Capture.load(name).connectionTo(20049);
        assertThat(text(connection.fromInitiator(), 16)).isEqualTo("MPA ID Req Frame");
        assertThat(text(connection.fromResponder(), 16)).isEqualTo("MPA ID Rep Frame");
    }

    @Test
    void load_knfsdV41_holdsTheRequestThatLinuxSends() {
        CapturedConnection connection = Capture.load("knfsd-v4.1").connectionTo(20049);
        byte[] request = new byte[32];
        connection.fromInitiator().get(request);
        assertThat(HexFormat.of().formatHex(request))
                .isEqualTo("4d504120494420526571204672616d65" + "1002000c00800000f6ab0e1801010303");
        // The capture has a whole mount, with more than 1 MiB in each direction.
        assertThat(connection.fromInitiator().remaining()).isGreaterThan(1 << 20);
        assertThat(connection.fromResponder().remaining()).isGreaterThan(1 << 20);
    }

    @Test
    void turns_together_areBothStreams() {
        CapturedConnection connection = Capture.load("sizes-v3").connectionTo(20049);
        for (CapturedConnection.Side side : CapturedConnection.Side.values()) {
            ByteBuffer stream = ByteBuffer.allocate(connection.from(side).remaining());
            connection.turns().stream().filter(turn -> turn.from() == side).forEach(turn -> {
                assertThat(turn.offsetBytes()).isEqualTo(stream.position());
                stream.put(connection.bytes(turn));
            });
            assertThat(stream.flip()).isEqualTo(connection.from(side));
        }
    }

    @Test
    void load_unknownName_saysWhich() {
        assertThatThrownBy(() -> Capture.load("none"))
                .isInstanceOf(CaptureFormatException.class)
                .hasMessageContaining("none");
    }

    private static String text(ByteBuffer bytes, int length) {
        byte[] out = new byte[length];
        bytes.get(out);
        return new String(out, java.nio.charset.StandardCharsets.US_ASCII);
    }
}
