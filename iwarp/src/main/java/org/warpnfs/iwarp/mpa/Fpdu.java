package org.warpnfs.iwarp.mpa;

/**
 * The Framing Protocol Data Unit (RFC 5044, section 4.1).
 *
 * <pre>
 * ULPDU_Length(2)  ULPDU(ULPDU_Length)  PAD(0-3, zero)  CRC32C(4, least significant byte first)
 * </pre>
 *
 * The pad makes everything before the CRC a multiple of four bytes. The CRC covers everything before it (section 4.4).
 * With CRC off, the field is still there and is sent as zero.
 */
public final class Fpdu {
    public static final int LENGTH_BYTES = 2;

    public static final int CRC_BYTES = 4;

    public static final int MAX_PAD_BYTES = 3;

    /** The longest ULPDU that fits the length field. */
    public static final int MAX_ULPDU_BYTES = 0xffff;

    /** The smallest MULPDU that a stream may have (RFC 5044, section 4.5). */
    public static final int MIN_MULPDU_BYTES = 128;

    private Fpdu() {}

    /** The length of the pad after a ULPDU. */
    public static int padBytes(int ulpduBytes) {
        return -(LENGTH_BYTES + ulpduBytes) & 3;
    }

    /** The length of pad and CRC after a ULPDU. */
    public static int trailerBytes(int ulpduBytes) {
        return padBytes(ulpduBytes) + CRC_BYTES;
    }

    /** The length of the FPDU that carries a ULPDU. */
    public static int lengthBytes(int ulpduBytes) {
        return LENGTH_BYTES + ulpduBytes + trailerBytes(ulpduBytes);
    }
}
