package org.warpnfs.iwarp.mpa;

/**
 * Where markers stand in a stream, and what they say (RFC 5044, sections 4.2 and 4.3).
 *
 * <pre>
 * bytes  field
 * 0-1    reserved, zero; ignored on receipt
 * 2-3    FPDUPTR: bytes from the length field of the FPDU that the marker is in to the marker;
 *        the last two bits are zero
 * </pre>
 *
 * The first stands before the first FPDU, the others at every 512th byte of the stream from there on, themselves
 * counted. One that falls between two FPDUs belongs to the second, and its FPDUPTR is zero. All are covered by the CRC
 * of their FPDU; its length field counts none. FPDUs are multiples of four bytes, so that a marker splits none of their
 * fields but the ULPDU.
 */
final class Markers {
    /** A marker. */
    static final int BYTES = 4;

    /** From the start of one to the start of the next. */
    static final int SPACING_BYTES = 512;

    /** Between two. */
    static final int RUN_BYTES = SPACING_BYTES - BYTES;

    /** Where FPDUPTR is in a marker. */
    static final int POINTER_OFFSET = 2;

    /** What of FPDUPTR counts. */
    static final int POINTER_MASK = 0xfffc;

    /** The longest FPDU, markers included, each of which can point back to its start. */
    private static final int MAX_FPDU_BYTES = 1 << 16;

    private Markers() {}

    /**
     * How many markers an FPDU contains.
     *
     * @param bytesToMarker from the start of the FPDU to the next marker, 0 if it is the next
     * @param fpduBytes the FPDU without markers
     */
    static int within(int bytesToMarker, int fpduBytes) {
        return fpduBytes <= bytesToMarker ? 0 : Math.ceilDiv(fpduBytes - bytesToMarker, RUN_BYTES);
    }

    /** The bytes to the next marker, after so many more bytes of the stream. */
    static int bytesToMarkerAfter(int bytesToMarker, int streamBytes) {
        return Math.floorMod(bytesToMarker - streamBytes, SPACING_BYTES);
    }

    /**
     * The MULPDU of a stream with markers whose FPDUs are to be no longer than those of one without (RFC 5044, section
     * 4.5).
     *
     * @param mulpduBytes that of the stream without
     */
    static int mulpduBytes(int mulpduBytes) {
        int emss = Math.min(Fpdu.lengthBytes(mulpduBytes), MAX_FPDU_BYTES);
        int overhead = Fpdu.LENGTH_BYTES + Fpdu.CRC_BYTES + BYTES * Math.ceilDiv(emss, SPACING_BYTES) + emss % 4;
        return Math.max(emss - overhead, Fpdu.MIN_MULPDU_BYTES);
    }
}
