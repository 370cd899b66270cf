package org.warpnfs.iwarp.mpa;

/** Error codes that MPA puts into a Terminate under the LLP layer (RFC 5044, section 8, RFC 6581, section 8). */
public enum MpaError {
    /** The TCP connection was closed, terminated or lost. */
    CONNECTION_LOST(1),
    /** A CRC check failed. */
    CRC(2),
    /** A marker and the ULPDU length disagree: the start of the FPDU is lost. */
    MARKER(3),
    /** The MPA Request or Reply frame is invalid. */
    BAD_FRAME(4),
    /** A catastrophe of our own. */
    LOCAL_CATASTROPHIC(5),
    /** The peer would keep more RDMA Reads outstanding than we hold. */
    INSUFFICIENT_IRD(6),
    /** The peer chose no ready-to-receive indication that was offered. */
    NO_MATCHING_RTR(7);

    /** The LLP layer, and its one error type, which is MPA. */
    public static final int ERROR_TYPE = 0;

    private final int code;

    MpaError(int code) {
        this.code = code;
    }

    /** The number in the Terminate message. */
    public int code() {
        return code;
    }
}
