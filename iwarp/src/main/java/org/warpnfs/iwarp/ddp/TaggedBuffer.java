package org.warpnfs.iwarp.ddp;

/** A tagged buffer (RFC 5041, section 2): memory that the peer addresses by an STag. */
public interface TaggedBuffer extends PlacementTarget {
    /** The tagged offset of the first byte, unsigned 64 bits. */
    long taggedOffset();

    /** The length in bytes. */
    int lengthBytes();

    /** Returned by {@link #locate} if the range wraps at 2^64. */
    long WRAPS = -1;

    /** Returned by {@link #locate} if the range is not entirely within this buffer. */
    long OUTSIDE = -2;

    /**
     * Locates a range of tagged offsets in this buffer. The wrap is checked before the bounds, because a range that
     * wraps is out of bounds too.
     *
     * @return the offset in bytes, {@link #WRAPS} or {@link #OUTSIDE}
     */
    default long locate(long to, long rangeBytes) {
        if (Long.compareUnsigned(to, -1L - rangeBytes) > 0) {
            return WRAPS;
        }
        long offset = to - taggedOffset();
        boolean inside = offset >= 0 && offset <= lengthBytes() && rangeBytes <= lengthBytes() - offset;
        return inside ? offset : OUTSIDE;
    }

    /** The offset at which a segment's payload is placed, after the checks of RFC 5041, section 7.1. */
    default int offsetOf(TaggedHeader header, int payloadBytes) throws DdpViolation {
        long offset = locate(header.taggedOffset(), payloadBytes);
        if (offset >= 0) {
            return (int) offset;
        }
        throw new DdpViolation(
                offset == WRAPS ? DdpError.TAGGED_TO_WRAP : DdpError.TAGGED_BOUNDS,
                payloadBytes + " bytes at TO " + Long.toHexString(header.taggedOffset())
                        + (offset == WRAPS ? " wrap" : " leave the " + lengthBytes() + " bytes of STag ")
                        + (offset == WRAPS ? "" : Long.toHexString(header.stag())) + " (RFC 5041, section 7.1)");
    }
}
