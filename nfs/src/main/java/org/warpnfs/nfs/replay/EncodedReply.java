package org.warpnfs.nfs.replay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.nfs.xdr.PayloadXdr;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.payload.Source;

/**
 * A procedure's encoded result, kept so that it can be sent again: the RPC body, without the framing of a transport.
 * Immutable; safe for any thread.
 *
 * <h2>Buffers</h2>
 *
 * Holds copies of payloads, so that no pooled buffer is kept from its pool. Each time the reply is sent they are
 * encoded as payloads, so that they go to a Write chunk.
 */
public final class EncodedReply implements XdrAble {
    private static final int FIRST_BYTES = 256;
    /** An item with its buffer and the headers of both. */
    private static final int ITEM_BYTES = 128;

    private final byte[] bytes;
    private final List<Item> items;
    private final int lengthBytes;

    /** A payload to be inserted before {@code bytes[position]}. */
    private record Item(int position, ByteBuffer data) {}

    private EncodedReply(byte[] bytes, List<Item> items) {
        this.bytes = bytes;
        this.items = items;
        this.lengthBytes = bytes.length
                + items.stream().mapToInt(item -> item.data().remaining()).sum();
    }

    /** Encodes {@code reply}, and releases its payloads. */
    public static EncodedReply of(XdrAble reply) {
        Recorder recorder = new Recorder();
        recorder.beginEncoding();
        try {
            reply.xdrEncode(recorder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        recorder.endEncoding();
        return new EncodedReply(recorder.getBytes(), List.copyOf(recorder.items));
    }

    /** Memory that its bytes take, and what carries each payload among them. */
    int heapBytes() {
        return lengthBytes + ITEM_BYTES * items.size();
    }

    @Override
    public void xdrEncode(XdrEncodingStream xdr) {
        int from = 0;
        for (Item item : items) {
            xdr.xdrEncodeOpaque(bytes, from, item.position() - from);
            PayloadXdr.encode(xdr, Payload.unpooled(item.data().duplicate()));
            from = item.position();
        }
        xdr.xdrEncodeOpaque(bytes, from, bytes.length - from);
    }

    @Override
    public void xdrDecode(XdrDecodingStream xdr) {
        throw new UnsupportedOperationException("a server does not read replies");
    }

    /** Sets payloads aside, and copies those that stay in the message. */
    private static final class Recorder extends Xdr implements PayloadEncoder {
        private final List<Item> items = new ArrayList<>(0);

        Recorder() {
            super(FIRST_BYTES);
        }

        @Override
        public void xdrEncodeInlinePayload(Payload payload) {
            try {
                xdrEncodeByteBuffer(payload.buffer().duplicate());
            } finally {
                payload.release();
            }
        }

        @Override
        public int maxInlinePayloadBytes() {
            return Integer.MAX_VALUE;
        }

        @Override
        public void xdrEncodePayload(Source payload) {
            try {
                ByteBuffer data = payload.bytes();
                ByteBuffer copy =
                        ByteBuffer.allocate(data.remaining()).put(data).flip();
                items.add(new Item(_buffer.position(), copy));
            } finally {
                payload.release();
            }
        }
    }
}
