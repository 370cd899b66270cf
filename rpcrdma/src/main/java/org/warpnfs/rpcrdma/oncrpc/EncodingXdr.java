package org.warpnfs.rpcrdma.oncrpc;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.FileChunk;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.payload.Source;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Encodes a message that refers to its payloads instead of containing them.
 *
 * <h2>Operation</h2>
 *
 * The payload encoders write only the count and store the offset of the bytes. The transport inserts the bytes there,
 * or sends them in a chunk. {@code xdrEncodeByteBuffer} does the same with a copy, because its caller may reuse the
 * buffer at once. Programs use these encoders for the items that RFC 8267 calls DDP-eligible and for nothing else.
 *
 * <h2>Buffers</h2>
 *
 * Owns the payloads from their encoding until the message is taken. Encoding another message before that releases the
 * payloads of the first.
 *
 * <h2>Errors</h2>
 *
 * See {@link DecodingXdr}.
 */
class EncodingXdr extends DecodingXdr implements PayloadEncoder {
    private static final int FIRST_MESSAGE_BYTES = 256;
    /** A multiple of four, so that only the last piece has a pad. */
    private static final int COPIED_PIECE_BYTES = 8192;
    /** The most heap memory that copies take. No budget counts it until the reply is sent. */
    private static final int MAX_COPIED_BYTES = 64 << 10;

    private final List<RpcMessage.Item> items = new ArrayList<>(1);

    EncodingXdr(XdrStream stream) {
        super(stream);
    }

    /** The encoded message with its payloads. */
    final RpcMessage takeMessage() {
        RpcMessage message = new RpcMessage(_buffer.toByteBuffer(), items);
        items.clear();
        return message;
    }

    @Override
    public void beginEncoding() {
        releaseItems();
        _buffer = MEMORY.wrap(ByteBuffer.allocate(FIRST_MESSAGE_BYTES));
        super.beginEncoding();
    }

    @Override
    public void xdrEncodePayload(Source payload) {
        xdrEncodeInt(payload.lengthBytes());
        items.add(new RpcMessage.Item(_buffer.position(), payload));
    }

    /** Copies in pieces, because the transport may have to move each item on its own. */
    @Override
    public void xdrEncodeInlinePayload(Payload payload) {
        try {
            ByteBuffer data = payload.buffer().duplicate();
            xdrEncodeInt(data.remaining());
            byte[] piece = new byte[Math.min(data.remaining(), COPIED_PIECE_BYTES)];
            while (data.hasRemaining()) {
                int lengthBytes = Math.min(data.remaining(), piece.length);
                data.get(piece, 0, lengthBytes);
                xdrEncodeOpaque(piece, 0, lengthBytes);
            }
        } finally {
            payload.release();
        }
    }

    @Override
    public int maxInlinePayloadBytes() {
        return MAX_COPIED_BYTES;
    }

    @Override
    public void xdrEncodeByteBuffer(ByteBuffer data) {
        ByteBuffer copy = ByteBuffer.allocate(data.remaining()).put(data).flip();
        xdrEncodePayload(Payload.unpooled(copy));
    }

    @Override
    public void xdrEncodeShallowByteBuffer(ByteBuffer data) {
        xdrEncodePayload(Payload.unpooled(data));
    }

    @Override
    public void xdrEncodeShallowByteBuffer(Buffer data) {
        xdrEncodePayload(Payload.unpooled(data.toByteBuffer()));
    }

    @Override
    public void xdrEncodeFileChunk(FileChunk chunk) {
        ByteArrayOutputStream copy = new ByteArrayOutputStream(Math.toIntExact(chunk.remaining()));
        try {
            chunk.writeTo(Channels.newChannel(copy));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            chunk.release();
        }
        xdrEncodePayload(Payload.unpooled(ByteBuffer.wrap(copy.toByteArray())));
    }

    @Override
    public void close() {
        releaseItems();
    }

    /** Releases the payloads that were encoded and not taken. */
    final void releaseItems() {
        List<RpcMessage.Item> all = List.copyOf(items);
        items.clear();
        RpcMessage.release(all);
    }
}
