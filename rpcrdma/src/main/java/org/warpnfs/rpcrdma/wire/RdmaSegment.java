package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * A contiguous piece of registered memory of the requester (RFC 8166, section 3.4.3, {@code xdr_rdma_segment}).
 *
 * <pre>
 *  0 | handle (STag)            4
 *  4 | length in bytes          4
 *  8 | offset (tagged offset)   8
 * </pre>
 *
 * @param handle the steering tag, unsigned 32 bits
 * @param lengthBytes unsigned 32 bits
 * @param offset unsigned 64 bits; it need not start at zero: Linux puts the XID in its upper half
 */
public record RdmaSegment(long handle, long lengthBytes, long offset) {
    /** The length on the wire. */
    public static final int ENCODED_BYTES = 16;

    public RdmaSegment {
        if (handle >>> 32 != 0 || lengthBytes >>> 32 != 0) {
            throw new IllegalArgumentException("handle " + handle + " or length " + lengthBytes + " exceeds 32 bits");
        }
    }

    /** The same memory, of which {@code writtenBytes} were written. */
    public RdmaSegment withLength(long writtenBytes) {
        return new RdmaSegment(handle, writtenBytes, offset);
    }

    static RdmaSegment parse(ByteBuffer in) {
        return new RdmaSegment(Integer.toUnsignedLong(in.getInt()), Integer.toUnsignedLong(in.getInt()), in.getLong());
    }

    void encode(ByteBuffer out) {
        out.putInt((int) handle).putInt((int) lengthBytes).putLong(offset);
    }
}
