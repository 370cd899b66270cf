package org.warpnfs.tools.bench.nfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.rpcrdma.message.Padding;
import org.warpnfs.rpcrdma.message.XdrStream;

/** Replies by RFC 5531, section 9, and malformed ones. */
class ReplyWordsTest {
    private static XdrStream stream(int... words) {
        ByteBuffer message = ByteBuffer.allocate(4 * words.length);
        for (int word : words) {
            message.putInt(word);
        }
        return XdrStream.of(message.flip());
    }

    @Test
    void acceptedReply_withAVerifier_isReadFromItsResults() throws Exception {
        ReplyWords words = ReplyWords.accepted(stream(7, 1, 0, 6, 5, 0, 0, 0, 42));
        assertThat(words.word()).isEqualTo(42);
    }

    /** A reply of type RDMA_MSGP, whose header has 36 bytes. */
    @Test
    void acceptedReply_withPaddedItems_isReadFromItsResults() throws Exception {
        ByteBuffer message = ByteBuffer.allocate(200);
        message.putInt(7).putInt(1).putInt(0).putInt(6).putInt(5);
        message.position(64 - 36 + 8).putInt(0).putInt(4);
        message.position(128 - 36).putInt(0x61626364).putInt(8);
        message.position(192 - 36).putLong(3).putInt(42);
        XdrStream padded = new XdrStream.Builder(message.flip(), new Padding(64, 4, 36)).build();
        for (XdrStream stream : List.of(padded.copied(), padded)) {
            ReplyWords words = ReplyWords.accepted(stream);
            assertThat(words.opaque(4)).containsExactly('a', 'b', 'c', 'd');
            words.skipOpaque(8);
            assertThat(words.word()).isEqualTo(42);
        }
    }

    @ParameterizedTest
    @CsvSource({"1,program", "2,version", "3,procedure", "4,decode", "5,RPC status 5"})
    void acceptedReply_withoutSuccess_saysWhy(int status, String why) {
        assertThatThrownBy(() -> ReplyWords.accepted(stream(7, 1, 0, 0, 0, status)))
                .isInstanceOf(NfsException.class)
                .hasMessageContaining(why);
    }

    @Test
    void deniedReply_saysWhy() {
        assertThatThrownBy(() -> ReplyWords.accepted(stream(7, 1, 1, 1, 2))).hasMessageContaining("status 2");
        assertThatThrownBy(() -> ReplyWords.accepted(stream(7, 1, 1, 0, 2, 2))).hasMessageContaining("RPC version");
    }

    @Test
    void everyTruncation_failsCleanly() throws Exception {
        int[] whole = {7, 1, 0, 0, 0, 0, 8, 1, 2};
        for (int length = 0; length < whole.length; length++) {
            XdrStream cut = stream(Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> ReplyWords.accepted(cut).opaque(64)).isInstanceOf(NfsException.class);
        }
        assertThat(ReplyWords.accepted(stream(whole)).opaque(64)).hasSize(8);
    }

    @Test
    void count_beyondItsLimit_isRefused() throws Exception {
        assertThatThrownBy(
                        () -> ReplyWords.accepted(stream(7, 1, 0, 0, 0, 0, 65)).opaque(64))
                .hasMessageContaining("65");
        assertThatThrownBy(
                        () -> ReplyWords.accepted(stream(7, 1, 0, 0, 0, 0, -1)).opaque(64))
                .hasMessageContaining("4294967295");
    }
}
