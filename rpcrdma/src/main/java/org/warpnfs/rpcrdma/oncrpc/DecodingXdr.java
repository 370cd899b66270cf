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
 * Decodes an {@link XdrStream} for oncrpc4j's programs.
 *
 * <h2>Operation</h2>
 *
 * Every decoder of the superclass that allocates memory by a number from the wire is replaced. The replacement first
 * checks how much of the message is left. So a peer gets no memory for a length that it merely claims.
 *
 * <h2>Buffers</h2>
 *
 * {@link #xdrDecodeByteBuffer()} returns a view that is valid until the call has been answered or dropped. All other
 * decoders copy.
 *
 * <h2>Errors</h2>
 *
 * {@link BadXdrOncRpcException} for a message that ends too soon or has a wrong count. Not safe for use by two threads
 * at once.
 */
class DecodingXdr extends Xdr implements UnreadBytes {
    /** To be used with {@link ByteBufferManager#wrap}, because the default manager cannot grow a wrapped buffer. */
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

    /** Does nothing. What has not been decoded can still be decoded. */
    @Override
    public void endDecoding() {
        // Does nothing. The superclass would rewind a buffer that holds nothing.
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

    /** Skips a counted item whose count was just read. */
    final void skipCounted(int countBytes) throws BadXdrOncRpcException {
        beginCounted(countBytes);
        stream.skip(XdrStream.roundUp(countBytes));
    }

    /**
     * Begins an opaque of a length that the program gives. If that is the word just read, the program has decoded the
     * count itself, and the bytes are a counted item.
     */
    private void beginOpaque(int countBytes) throws BadXdrOncRpcException {
        if (countBytes == lastWord && stream.position() == lastWordEnd) {
            beginCounted(countBytes);
        } else {
            requireOpaque(countBytes);
        }
    }

    /**
     * Begins a counted item whose count was just read, and whose bytes may be in a chunk or have padding before them.
     */
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

    /** Decodes bytes of which each takes a whole word. */
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

    /** Creates the exception by decoding from an empty buffer, because oncrpc4j does not export its constructor. */
    static BadXdrOncRpcException badXdr() {
        try {
            new Xdr(MEMORY.wrap(ByteBuffer.allocate(0)), MEMORY).xdrDecodeInt();
        } catch (BadXdrOncRpcException e) {
            return e;
        }
        throw new AssertionError("an int was decoded from nothing");
    }
}
