package org.warpnfs.iwarp.ddp;

/** A tagged buffer (RFC 5041, section 2): memory that the peer names by an STag. */
public interface TaggedBuffer extends PlacementTarget {
    /** The tagged offset of its first byte, unsigned 64 bits. */
    long taggedOffset();

    /** Its length in bytes. */
    int lengthBytes();

    /** In place of an offset: the range wraps at 2^64. */
    long WRAPS = -1;

    /** In place of an offset: the range is not all within this buffer. */
    long OUTSIDE = -2;

    /**
     * Where a range of tagged offsets lies in this buffer. A wrap is found before bounds, since a range that wraps is
     * outside too.
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

    /** Where a segment's payload goes: the checks of RFC 5041, section 7.1 on its offset. */
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
