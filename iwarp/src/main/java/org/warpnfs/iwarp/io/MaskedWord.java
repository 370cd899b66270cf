package org.warpnfs.iwarp.io;

/**
 * A 64-bit operand of a remote atomic operation, with the mask that goes with it (RFC 7306, sections 5.1.1 and 5.1.2).
 *
 * <pre>
 * role      mask bit 1                                    mask bit 0
 * addend    the top of a field: its carry is dropped      the carry runs on
 * compare   this bit is compared                          this bit is not looked at
 * swap      this bit is replaced                          this bit stays
 * </pre>
 *
 * @param data the operand
 * @param mask which bits of the operand are used, and how
 */
public record MaskedWord(long data, long mask) {
    /** An operand of one field of 64 bits, to be added modulo 2^64. */
    public static MaskedWord addend(long data) {
        return new MaskedWord(data, 0);
    }

    /** An operand all of whose bits are compared or replaced. */
    public static MaskedWord whole(long data) {
        return new MaskedWord(data, -1L);
    }

    /**
     * The sum of the original and this word, field by field. The top bit of each field is added by exclusive or, so
     * that no carry leaves the field.
     */
    public long addTo(long original) {
        long tops = mask | Long.MIN_VALUE;
        return ((original & ~tops) + (data & ~tops)) ^ ((original ^ data) & tops);
    }

    /** Whether the original has the same value in all bits that are compared. */
    public boolean matches(long original) {
        return ((original ^ data) & mask) == 0;
    }

    /** The original with the masked bits replaced. */
    public long mergedInto(long original) {
        return (original & ~mask) | (data & mask);
    }
}
