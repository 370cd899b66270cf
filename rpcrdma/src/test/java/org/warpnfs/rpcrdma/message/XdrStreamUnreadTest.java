package org.warpnfs.rpcrdma.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The unread bytes of a stream are the same, whatever pieces they lie in. */
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
        ByteBuffer inline = ByteBuffer.allocate(16).put(MESSAGE, 0, 8).put(MESSAGE, 16, 8);
        return new XdrStream.Builder(inline.flip())
                .inline(8)
                .chunk(chunk.flip())
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

    /** RDMA_MSGP: the padding that was skipped shifts the inline bytes after it. */
    @Test
    void unread_behindSkippedPadding_hasNoneOfIt() {
        ByteBuffer inline = ByteBuffer.allocate(36)
                .putInt(COUNT_BYTES)
                .position(16)
                .put("abcde".getBytes(StandardCharsets.US_ASCII))
                .position(24)
                .putInt(8)
                .putInt(2)
                .putInt(3)
                .flip();
        XdrStream stream = new XdrStream.Builder(inline, new Padding(16, COUNT_BYTES, 0))
                .inline(20)
                .chunk(ByteBuffer.allocate(8))
                .build();
        assertThat(stream.readInt()).isEqualTo(COUNT_BYTES);
        assertThat(stream.beginCounted(COUNT_BYTES)).isTrue();
        stream.counted(COUNT_BYTES);
        assertThat(stream.readInt()).isEqualTo(8);
        assertThat(stream.readInt()).isEqualTo(2);
        byte[] rest = ByteBuffer.allocate(12).position(8).putInt(3).array();
        assertThat(unread(stream)).isEqualTo(rest);
        stream.rewind();
        assertThat(stream.remainingBytes()).isEqualTo(44);
    }

    /** The message has more bytes than the padding needs, but most of them have been read. */
    @Test
    void padding_beyondTheEndOfTheMessage_isRefused() {
        for (int behindCount = 0; behindCount <= 8; behindCount += 4) {
            ByteBuffer inline = ByteBuffer.allocate(8 + behindCount).putInt(4, COUNT_BYTES);
            XdrStream stream = new XdrStream.Builder(inline, new Padding(16, COUNT_BYTES, 0)).build();
            stream.readLong();
            assertThat(stream.beginCounted(COUNT_BYTES))
                    .as("8 bytes of padding, %d there", behindCount)
                    .isEqualTo(behindCount == 8);
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
