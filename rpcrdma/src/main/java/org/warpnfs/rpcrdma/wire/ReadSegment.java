package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;

/**
 * One entry of the Read list (RFC 8166, section 4.3, {@code xdr_read_chunk}). Entries with the same position form one
 * Read chunk.
 *
 * <pre>
 *  0 | position in the XDR stream   4
 *  4 | segment                     16
 * </pre>
 *
 * @param position the byte offset in the unreduced RPC message, counted from its XID; a multiple of 4, unsigned 32 bits
 */
public record ReadSegment(long position, RdmaSegment segment) {
    /** The length on the wire, without the word that precedes a list entry. */
    public static final int ENCODED_BYTES = 4 + RdmaSegment.ENCODED_BYTES;

    public ReadSegment {
        if (position >>> 32 != 0 || (position & 3) != 0) {
            throw new IllegalArgumentException("position " + position + " is not an XDR position");
        }
    }

    void encode(ByteBuffer out) {
        out.putInt((int) position);
        segment.encode(out);
    }
}
