package org.warpnfs.iwarp.mpa;

/**
 * The format of markers and their positions in a stream (RFC 5044, sections 4.2 and 4.3).
 *
 * <pre>
 * bytes  field
 * 0-1    reserved, zero; ignored on receipt
 * 2-3    FPDUPTR: bytes from the length field of the FPDU that the marker is in to the marker;
 *        the last two bits are zero
 * </pre>
 *
 * The first marker precedes the first FPDU. From there on one follows every 512 bytes of the stream, markers included.
 * A marker that falls between two FPDUs belongs to the second, and its FPDUPTR is zero. The CRC of an FPDU covers its
 * markers, and its length field does not count them. The length of an FPDU is a multiple of four bytes, so a marker can
 * split only the ULPDU and no other field.
 */
final class Markers {
    static final int BYTES = 4;

    /** Bytes from the start of one marker to the start of the next. */
    static final int SPACING_BYTES = 512;

    /** Bytes between two markers. */
    static final int RUN_BYTES = SPACING_BYTES - BYTES;

    /** The offset of FPDUPTR in a marker. */
    static final int POINTER_OFFSET = 2;

    /** The bits of FPDUPTR that are significant. */
    static final int POINTER_MASK = 0xfffc;

    /** The longest FPDU, markers included, in which every marker can point back to the start. */
    private static final int MAX_FPDU_BYTES = 1 << 16;

    private Markers() {}

    /**
     * The number of markers in an FPDU.
     *
     * @param bytesToMarker from the start of the FPDU to the next marker; 0 if the FPDU starts with a marker
     * @param fpduBytes the length of the FPDU without markers
     */
    static int within(int bytesToMarker, int fpduBytes) {
        return fpduBytes <= bytesToMarker ? 0 : Math.ceilDiv(fpduBytes - bytesToMarker, RUN_BYTES);
    }

    /** The bytes to the next marker after {@code streamBytes} more bytes of the stream. */
    static int bytesToMarkerAfter(int bytesToMarker, int streamBytes) {
        return Math.floorMod(bytesToMarker - streamBytes, SPACING_BYTES);
    }

    /**
     * The largest ULPDU of an FPDU. RFC 5044, section 4.5 has a formula for any place in the stream. For a given place
     * there may be one marker less, so that the FPDU fills a segment.
     *
     * @param bytesToMarker from the start of the FPDU to the next marker; 0 if the FPDU starts with a marker
     * @param fpduBytes the longest FPDU, markers included
     */
    static int mulpduBytes(int bytesToMarker, int fpduBytes) {
        int mostBytes = Math.min(fpduBytes, MAX_FPDU_BYTES) & ~3;
        int markers = mostBytes <= bytesToMarker ? 0 : Math.ceilDiv(mostBytes - bytesToMarker, SPACING_BYTES);
        return Math.max(mostBytes - Fpdu.LENGTH_BYTES - Fpdu.CRC_BYTES - BYTES * markers, Fpdu.MIN_MULPDU_BYTES);
    }
}
