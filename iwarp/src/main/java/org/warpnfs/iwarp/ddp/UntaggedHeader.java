package org.warpnfs.iwarp.ddp;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * The header of an untagged segment (RFC 5041, section 4.3).
 *
 * <pre>
 * bytes   field
 * 0       {@link DdpControl}
 * 1-5     RsvdULP, the upper layer's: 8 bits, then 32
 * 6-9     QN, queue number
 * 10-13   MSN, message sequence number
 * 14-17   MO, offset of the first byte of payload in its message
 * </pre>
 *
 * @param last whether the segment is the last of its message
 * @param rsvdUlp the first 8 bits of the 40
 * @param rsvdUlpWord the other 32
 * @param qn unsigned 32 bits
 * @param msn 32 bits, compared modulo 2^32
 * @param mo unsigned 32 bits
 */
public record UntaggedHeader(boolean last, int rsvdUlp, long rsvdUlpWord, long qn, int msn, long mo) {
    public static final int BYTES = 18;

    private static final int RSVD_ULP_OFFSET = 1;
    private static final int RSVD_ULP_WORD_OFFSET = RSVD_ULP_OFFSET + 1;
    private static final int QN_OFFSET = RSVD_ULP_WORD_OFFSET + 4;
    private static final int MSN_OFFSET = QN_OFFSET + 4;
    private static final int MO_OFFSET = MSN_OFFSET + 4;

    /** Parses the 18 bytes at the buffer's position. The position does not move. */
    public static UntaggedHeader parse(ByteBuffer bytes) {
        int at = bytes.position();
        return new UntaggedHeader(
                (bytes.get(at) & DdpControl.LAST) != 0,
                BigEndian.u8(bytes, at + RSVD_ULP_OFFSET),
                BigEndian.u32(bytes, at + RSVD_ULP_WORD_OFFSET),
                BigEndian.u32(bytes, at + QN_OFFSET),
                (int) BigEndian.u32(bytes, at + MSN_OFFSET),
                BigEndian.u32(bytes, at + MO_OFFSET));
    }

    /** Appends the header. */
    public void encode(ByteBuffer out) {
        BigEndian.putU8(out, DdpControl.of(false, last));
        BigEndian.putU8(out, rsvdUlp);
        BigEndian.putU32(out, rsvdUlpWord);
        BigEndian.putU32(out, qn);
        BigEndian.putU32(out, msn);
        BigEndian.putU32(out, mo);
    }
}
