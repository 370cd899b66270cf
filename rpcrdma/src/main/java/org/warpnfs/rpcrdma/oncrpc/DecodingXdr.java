package org.warpnfs.rpcrdma.oncrpc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.xdr.BadXdrOncRpcException;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.glassfish.grizzly.memory.ByteBufferManager;
import org.warpnfs.payload.UnreadBytes;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Decodes an {@link XdrStream} as oncrpc4j's programs expect it.
 *
 * <h2>Operation</h2>
 *
 * Every decoder of the superclass that sizes something by a number from the wire is replaced by one that first looks at
 * what is left of the message: a peer gets no memory for what it merely claims.
 *
 * <h2>Buffers</h2>
 *
 * {@link #xdrDecodeByteBuffer()} lends a view that is valid until the call has been answered or dropped. All else is
 * copied.
 *
 * <h2>Errors</h2>
 *
 * {@link BadXdrOncRpcException} for a message that ends too soon or counts wrongly. Not safe for two threads at once.
 */
class DecodingXdr extends Xdr implements UnreadBytes {
    /** Pairs with {@link ByteBufferManager#wrap}: the default manager cannot grow a wrapped buffer. */
    static final ByteBufferManager MEMORY = new ByteBufferManager();

    private final XdrStream stream;
    private int lastWord;
    private int lastWordEnd;

    DecodingXdr(XdrStream stream) {
        super(MEMORY.wrap(ByteBuffer.allocate(0)), MEMORY);
        this.stream = stream;
    }

    final XdrStream stream() {
        return stream;
    }

    @Override
    public void beginDecoding() {
        stream.rewind();
    }

    /** Does nothing: what was not decoded can still be. */
    @Override
    public void endDecoding() {
        // The superclass would rewind a buffer that holds nothing.
    }

    @Override
    public final void forEachUnread(Consumer<ByteBuffer> piece) {
        stream.forEachUnread(piece);
    }

    @Override
    public boolean hasMoreData() {
        return stream.remainingBytes() > 0;
    }

    @Override
    public int xdrDecodeInt() throws BadXdrOncRpcException {
        requireBytes(Integer.BYTES);
        lastWord = stream.readInt();
        lastWordEnd = stream.position();
        return lastWord;
    }

    @Override
    public long xdrDecodeLong() throws BadXdrOncRpcException {
        requireBytes(Long.BYTES);
        return stream.readLong();
    }

    @Override
    public ByteBuffer xdrDecodeByteBuffer() throws BadXdrOncRpcException {
        int countBytes = xdrDecodeInt();
        beginCounted(countBytes);
        return stream.counted(countBytes);
    }

    @Override
    public byte[] xdrDecodeDynamicOpaque() throws BadXdrOncRpcException {
        int countBytes = xdrDecodeInt();
        beginCounted(countBytes);
        byte[] opaque = new byte[countBytes];
        takeOpaque(opaque, 0, countBytes);
        return opaque;
    }

    @Override
    public String xdrDecodeString() throws BadXdrOncRpcException {
        return new String(xdrDecodeDynamicOpaque(), StandardCharsets.UTF_8);
    }

    @Override
    public byte[] xdrDecodeOpaque(int countBytes) throws BadXdrOncRpcException {
        beginOpaque(countBytes);
        byte[] opaque = new byte[countBytes];
        takeOpaque(opaque, 0, countBytes);
        return opaque;
    }

    @Override
    public void xdrDecodeOpaque(byte[] into, int offset, int countBytes) throws BadXdrOncRpcException {
        beginOpaque(countBytes);
        takeOpaque(into, offset, countBytes);
    }

    /** Steps over a counted item, whose count was just read. */
    final void skipCounted(int countBytes) throws BadXdrOncRpcException {
        beginCounted(countBytes);
        stream.skip(XdrStream.roundUp(countBytes));
    }

    /**
     * A program that wants to see the count first decodes it by itself; the bytes that follow are a counted item all
     * the same.
     */
    private void beginOpaque(int countBytes) throws BadXdrOncRpcException {
        if (countBytes == lastWord && stream.position() == lastWordEnd) {
            beginCounted(countBytes);
        } else {
            requireOpaque(countBytes);
        }
    }

    /** Begins a counted item whose count was just read, and whose bytes may be a chunk or have padding before them. */
    private void beginCounted(int countBytes) throws BadXdrOncRpcException {
        if (countBytes < 0 || !stream.beginCounted(countBytes)) {
            throw badXdr();
        }
        requireOpaque(countBytes);
    }

    private void takeOpaque(byte[] into, int offset, int countBytes) {
        stream.read(into, offset, countBytes);
        stream.skip(XdrStream.roundUp(countBytes) - countBytes);
    }

    @Override
    public int[] xdrDecodeIntVector() throws BadXdrOncRpcException {
        return xdrDecodeIntFixedVector(xdrDecodeInt());
    }

    @Override
    public int[] xdrDecodeIntFixedVector(int count) throws BadXdrOncRpcException {
        requireElements(count, Integer.BYTES);
        return super.xdrDecodeIntFixedVector(count);
    }

    @Override
    public long[] xdrDecodeLongVector() throws BadXdrOncRpcException {
        return xdrDecodeLongFixedVector(xdrDecodeInt());
    }

    @Override
    public long[] xdrDecodeLongFixedVector(int count) throws BadXdrOncRpcException {
        requireElements(count, Long.BYTES);
        return super.xdrDecodeLongFixedVector(count);
    }

    @Override
    public float[] xdrDecodeFloatVector() throws BadXdrOncRpcException {
        return xdrDecodeFloatFixedVector(xdrDecodeInt());
    }

    @Override
    public float[] xdrDecodeFloatFixedVector(int count) throws BadXdrOncRpcException {
        requireElements(count, Float.BYTES);
        return super.xdrDecodeFloatFixedVector(count);
    }

    @Override
    public double[] xdrDecodeDoubleVector() throws BadXdrOncRpcException {
        return xdrDecodeDoubleFixedVector(xdrDecodeInt());
    }

    @Override
    public double[] xdrDecodeDoubleFixedVector(int count) throws BadXdrOncRpcException {
        requireElements(count, Double.BYTES);
        return super.xdrDecodeDoubleFixedVector(count);
    }

    /** Each byte takes a whole word here. */
    @Override
    public byte[] xdrDecodeByteVector() throws BadXdrOncRpcException {
        return xdrDecodeByteFixedVector(xdrDecodeInt());
    }

    @Override
    public byte[] xdrDecodeByteFixedVector(int count) throws BadXdrOncRpcException {
        requireElements(count, Integer.BYTES);
        return super.xdrDecodeByteFixedVector(count);
    }

    @Override
    public short[] xdrDecodeShortVector() throws BadXdrOncRpcException {
        return xdrDecodeShortFixedVector(xdrDecodeInt());
    }

    @Override
    public short[] xdrDecodeShortFixedVector(int count) throws BadXdrOncRpcException {
        requireElements(count, Integer.BYTES);
        return super.xdrDecodeShortFixedVector(count);
    }

    private void requireBytes(int bytes) throws BadXdrOncRpcException {
        if (stream.remainingBytes() < bytes) {
            throw badXdr();
        }
    }

    private void requireOpaque(int countBytes) throws BadXdrOncRpcException {
        int leftBytes = stream.remainingBytes();
        if (countBytes < 0 || countBytes > leftBytes || XdrStream.roundUp(countBytes) > leftBytes) {
            throw badXdr();
        }
    }

    private void requireElements(int count, int elementBytes) throws BadXdrOncRpcException {
        if (count < 0 || count > stream.remainingBytes() / elementBytes) {
            throw badXdr();
        }
    }

    /** oncrpc4j keeps the constructor of its exception to itself, so one is had by asking for what is not there. */
    static BadXdrOncRpcException badXdr() {
        try {
            new Xdr(MEMORY.wrap(ByteBuffer.allocate(0)), MEMORY).xdrDecodeInt();
        } catch (BadXdrOncRpcException e) {
            return e;
        }
        throw new AssertionError("an int was decoded from nothing");
    }
}
