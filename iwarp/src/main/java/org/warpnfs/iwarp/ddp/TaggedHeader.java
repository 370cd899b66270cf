package org.warpnfs.iwarp.ddp;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * The header of a tagged segment (RFC 5041, section 4.2).
 *
 * <pre>
 * bytes   field
 * 0       {@link DdpControl}
 * 1       RsvdULP, the upper layer's
 * 2-5     STag
 * 6-13    TO, tagged offset of the first byte of payload
 * </pre>
 *
 * @param last whether the segment is the last of its message
 * @param rsvdUlp 8 bits
 * @param stag unsigned 32 bits
 * @param taggedOffset unsigned 64 bits
 */
public record TaggedHeader(boolean last, int rsvdUlp, long stag, long taggedOffset) {
    public static final int BYTES = 14;

    private static final int RSVD_ULP_OFFSET = 1;
    private static final int STAG_OFFSET = RSVD_ULP_OFFSET + 1;
    private static final int TO_OFFSET = STAG_OFFSET + 4;

    /** Parses the 14 bytes at the buffer's position. The position does not move. */
    public static TaggedHeader parse(ByteBuffer bytes) {
        int at = bytes.position();
        return new TaggedHeader(
                (bytes.get(at) & DdpControl.LAST) != 0,
                BigEndian.u8(bytes, at + RSVD_ULP_OFFSET),
                BigEndian.u32(bytes, at + STAG_OFFSET),
                BigEndian.u64(bytes, at + TO_OFFSET));
    }

    /** Appends the header. */
    public void encode(ByteBuffer out) {
        BigEndian.putU8(out, DdpControl.of(true, last));
        BigEndian.putU8(out, rsvdUlp);
        BigEndian.putU32(out, stag);
        BigEndian.putU64(out, taggedOffset);
    }
}
