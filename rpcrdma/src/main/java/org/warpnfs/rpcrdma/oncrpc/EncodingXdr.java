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
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Encodes a message that names its payloads instead of containing them.
 *
 * <h2>Operation</h2>
 *
 * The payload encoders write the count alone and remember where the bytes belong; the transport puts them there, or
 * into a chunk. {@code xdrEncodeByteBuffer} does the same with a copy, as its caller may use the buffer again at once.
 * Programs use these for what RFC 8267 calls DDP-eligible and for nothing else.
 *
 * <h2>Buffers</h2>
 *
 * Owns the payloads from their encoding until the message is taken; encoding another message instead releases the first
 * one's.
 *
 * <h2>Errors</h2>
 *
 * See {@link DecodingXdr}.
 */
class EncodingXdr extends DecodingXdr implements PayloadEncoder {
    private static final int FIRST_MESSAGE_BYTES = 512;
    /** A multiple of four: no pad but after the last piece. */
    private static final int COPIED_PIECE_BYTES = 8192;
    /** What a copy takes of the heap, which no budget counts before the reply is on its way. */
    private static final int MAX_COPIED_BYTES = 64 << 10;

    private final List<RpcMessage.Item> items = new ArrayList<>(1);

    EncodingXdr(XdrStream stream) {
        super(stream);
    }

    /** What was encoded, with its payloads. */
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
    public void xdrEncodePayload(Payload payload) {
        xdrEncodeInt(payload.lengthBytes());
        items.add(new RpcMessage.Item(_buffer.position(), payload));
    }

    /** A copy, in pieces: the transport may have to move each item by itself. */
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

    /** Gives back the payloads of what was encoded and not taken. */
    final void releaseItems() {
        for (RpcMessage.Item item : items) {
            item.payload().release();
        }
        items.clear();
    }
}
