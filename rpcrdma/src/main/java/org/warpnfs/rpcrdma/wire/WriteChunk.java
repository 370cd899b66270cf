package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Memory of the requester for one result: an entry of the Write list, or the Reply chunk (RFC 8166, section 4.3,
 * {@code xdr_write_chunk}). The lengths are the room in a call, and the bytes written in a reply.
 *
 * <pre>
 *  0 | number of segments n   4
 *  4 | n segments          16 n
 * </pre>
 *
 * @param segments empty if the result shall be sent inline (RFC 8267, section 5)
 */
public record WriteChunk(List<RdmaSegment> segments) {
    public WriteChunk {
        segments = List.copyOf(segments);
    }

    /** The room, or the bytes written, in all segments together. */
    public long lengthBytes() {
        long sum = 0;
        for (int i = 0; i < segments.size(); i++) {
            RdmaSegment segment = segments.get(i);
            sum += segment.lengthBytes();
        }
        return sum;
    }

    int encodedLengthBytes() {
        return 4 + segments.size() * RdmaSegment.ENCODED_BYTES;
    }

    void encode(ByteBuffer out) {
        out.putInt(segments.size());
        for (int i = 0; i < segments.size(); i++) {
            RdmaSegment segment = segments.get(i);
            segment.encode(out);
        }
    }
}
