package org.warpnfs.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CapturedTlsTest {
    private static final int CALL = 0;
    private static final int REPLY = 1;

    @ParameterizedTest
    @CsvSource({"tls-knfsd-v3, 25", "tls-knfsd-v4.1, 33", "mtls-knfsd-v4.1, 33"})
    void load_connectionOfAClient_everyCallIsReadAndHasItsReply(String capture, int calls) {
        CapturedTls tls = CapturedTls.load(capture);

        assertThat(hex(tls.probe())).startsWith("80000028").endsWith("00000007000000000000000000000000");
        assertThat(hex(tls.probeReply())).endsWith("000000085354415254544c5300000000");
        assertThat(xids(tls.fromClient(), CALL)).hasSize(calls).isEqualTo(xids(tls.fromServer(), REPLY));
    }

    @Test
    void recordThatWasChanged_isNotDecrypted() {
        CapturedConnection connection = Capture.load("tls-knfsd-v4.1").connectionTo(2049);
        ByteBuffer stream = connection.fromInitiator();
        byte[] records = new byte[stream.remaining() - 44];
        stream.position(44).get(records);
        records[records.length / 2] ^= 1;

        assertThatThrownBy(() -> TlsStream.decrypt(ByteBuffer.wrap(records), new byte[48], new byte[48]))
                .isInstanceOf(CaptureFormatException.class);
    }

    private static String hex(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(0, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static List<Integer> xids(List<ByteBuffer> messages, int type) {
        return messages.stream()
                .filter(each -> each.getInt(4) == type)
                .map(each -> each.getInt(0))
                .toList();
    }
}
