package org.warpnfs.rpcrdma.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A look at what is still to be decoded: the same bytes whatever pieces they lie in. */
class XdrStreamUnreadTest {
    private static final int COUNT_BYTES = 5;
    /** Two words, an opaque of five bytes with its pad, a word. */
    private static final byte[] MESSAGE = message();

    private static byte[] message() {
        return ByteBuffer.allocate(24)
                .putInt(1)
                .putInt(COUNT_BYTES)
                .put("abcde".getBytes(StandardCharsets.US_ASCII))
                .position(16)
                .putInt(2)
                .putInt(3)
                .array();
    }

    private static XdrStream inline() {
        return XdrStream.of(ByteBuffer.wrap(MESSAGE));
    }

    /** The opaque came by RDMA Read, without its pad. */
    private static XdrStream withChunk() {
        ByteBuffer chunk = ByteBuffer.allocateDirect(COUNT_BYTES).put(MESSAGE, 8, COUNT_BYTES);
        return new XdrStream.Builder()
                .inline(ByteBuffer.wrap(MESSAGE, 0, 8))
                .chunk(chunk.flip())
                .inline(ByteBuffer.wrap(MESSAGE, 16, 8))
                .build();
    }

    private static byte[] unread(XdrStream stream) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        stream.forEachUnread(piece -> {
            byte[] bytes = new byte[piece.remaining()];
            piece.get(bytes);
            all.writeBytes(bytes);
        });
        return all.toByteArray();
    }

    @Test
    void unread_anywhere_isTheRestHoweverItLies() {
        for (XdrStream stream : new XdrStream[] {inline(), withChunk()}) {
            for (int read = 0; read <= MESSAGE.length; read++) {
                stream.rewind();
                stream.skip(read);
                byte[] rest = Arrays.copyOfRange(MESSAGE, read, MESSAGE.length);
                assertThat(unread(stream)).as("after %d bytes", read).isEqualTo(rest);
                assertThat(unread(stream)).as("and again").isEqualTo(rest);
                assertThat(stream.remainingBytes()).isEqualTo(rest.length);
            }
        }
    }

    @Test
    void unread_seen_whatFollowsIsStillDecoded() {
        XdrStream stream = withChunk();
        assertThat(stream.readInt()).isEqualTo(1);
        assertThat(unread(stream)).hasSize(20);
        assertThat(stream.readInt()).isEqualTo(COUNT_BYTES);
        assertThat(unread(stream)).hasSize(16);
        assertThat(stream.beginCounted(COUNT_BYTES)).isTrue();
        ByteBuffer item = stream.counted(COUNT_BYTES);
        assertThat(item).isEqualTo(ByteBuffer.wrap(MESSAGE, 8, COUNT_BYTES));
        assertThat(stream.readInt()).isEqualTo(2);
    }
}
