package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * The RDMA Read Request header (RFC 5040, section 4.4).
 *
 * <pre>
 * bytes   field
 * 0-3     data sink STag
 * 4-11    data sink TO
 * 12-15   size
 * 16-19   data source STag
 * 20-27   data source TO
 * </pre>
 *
 * @param sinkStag unsigned 32 bits
 * @param sinkOffset unsigned 64 bits
 * @param sizeBytes unsigned 32 bits
 * @param sourceStag unsigned 32 bits
 * @param sourceOffset unsigned 64 bits
 */
public record ReadRequestHeader(long sinkStag, long sinkOffset, long sizeBytes, long sourceStag, long sourceOffset) {
    /** The length of the header, which is the whole message. */
    public static final int BYTES = 28;

    private static final int SINK_TO_OFFSET = 4;
    private static final int SIZE_OFFSET = SINK_TO_OFFSET + 8;
    private static final int SOURCE_STAG_OFFSET = SIZE_OFFSET + 4;
    private static final int SOURCE_TO_OFFSET = SOURCE_STAG_OFFSET + 4;

    /** Parses a message of exactly 28 bytes. */
    static ReadRequestHeader parse(ByteBuffer message) throws RdmapViolation {
        if (message.remaining() != BYTES) {
            throw new RdmapViolation(
                    RdmapError.OPERATION_UNSPECIFIED,
                    "Read Request of " + message.remaining() + " bytes, expected " + BYTES
                            + " (RFC 5040, section 4.4)");
        }
        int at = message.position();
        return new ReadRequestHeader(
                BigEndian.u32(message, at),
                BigEndian.u64(message, at + SINK_TO_OFFSET),
                BigEndian.u32(message, at + SIZE_OFFSET),
                BigEndian.u32(message, at + SOURCE_STAG_OFFSET),
                BigEndian.u64(message, at + SOURCE_TO_OFFSET));
    }

    /** Appends the header. */
    public void encode(ByteBuffer out) {
        BigEndian.putU32(out, sinkStag);
        BigEndian.putU64(out, sinkOffset);
        BigEndian.putU32(out, sizeBytes);
        BigEndian.putU32(out, sourceStag);
        BigEndian.putU64(out, sourceOffset);
    }

    /**
     * The part of the request that is left after its first {@code answeredBytes} bytes have been answered (RFC 5040,
     * section 4.8).
     */
    public ReadRequestHeader after(long answeredBytes) {
        return new ReadRequestHeader(
                sinkStag,
                sinkOffset + answeredBytes,
                sizeBytes - answeredBytes,
                sourceStag,
                sourceOffset + answeredBytes);
    }
}
