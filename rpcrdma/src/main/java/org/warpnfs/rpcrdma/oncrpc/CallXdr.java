package org.warpnfs.rpcrdma.oncrpc;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.FileChunk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * The Xdr of one call and of its reply: oncrpc4j decodes the one from and encodes the other into the same object.
 *
 * <h2>Operation</h2>
 *
 * The payload encoders write the count alone and remember where the bytes belong; the transport puts them there, or into a
 * chunk. {@code xdrEncodeByteBuffer} does the same with a copy, as its caller may use the buffer again at once. Programs use these
 * for what RFC 8267 calls DDP-eligible and for nothing else.
 *
 * <h2>Buffers</h2>
 *
 * Owns the payloads from their encoding until the reply is sent; encoding a second reply instead of the first releases the
 * first one's.
 *
 * <h2>Errors</h2>
 *
 * A second reply to one call is logged and goes nowhere.
 */
final class CallXdr extends StreamXdr implements PayloadEncoder {
    private static final Logger LOG = LoggerFactory.getLogger(CallXdr.class);
    private static final int FIRST_REPLY_BYTES = 512;

    private final InboundCall call;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final List<RpcMessage.Item> items = new ArrayList<>(1);
    private boolean encoding;

    CallXdr(InboundCall call) {
        super(call.arguments());
        this.call = call;
    }

    /** True from the moment a reply or a drop was decided on. */
    boolean answered() {
        return answered.get();
    }

    /** True if a reply was begun and never sent: its encoder failed. */
    boolean abandoned() {
        return encoding && !answered.get();
    }

    /**
     * Sends what was encoded.
     *
     * @return length of the unreduced reply, or -1 if the call had been answered before
     */
    long send() {
        if (!answered.compareAndSet(false, true)) {
            LOG.error("a program answered one call twice");
            releaseItems();
            return -1;
        }
        RpcMessage reply = new RpcMessage(_buffer.toByteBuffer(), items);
        items.clear();
        long lengthBytes = reply.lengthBytes();
        call.reply(reply);
        return lengthBytes;
    }

    /** Ends the call without a reply. */
    void drop() {
        if (answered.compareAndSet(false, true)) {
            releaseItems();
            call.drop();
        }
    }

    @Override
    public void beginEncoding() {
        releaseItems();
        _buffer = MEMORY.wrap(ByteBuffer.allocate(FIRST_REPLY_BYTES));
        encoding = true;
        super.beginEncoding();
    }

    @Override
    public void xdrEncodePayload(Payload payload) {
        xdrEncodeInt(payload.lengthBytes());
        items.add(new RpcMessage.Item(_buffer.position(), payload));
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

    private void releaseItems() {
        for (RpcMessage.Item item : items) {
            item.payload().release();
        }
        items.clear();
    }
}
