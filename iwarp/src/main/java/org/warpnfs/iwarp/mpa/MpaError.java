package org.warpnfs.iwarp.mpa;

/** Error codes of MPA in a Terminate of the LLP layer (RFC 5044, section 8, RFC 6581, section 8). */
public enum MpaError {
    /** The TCP connection was closed, terminated or lost. */
    CONNECTION_LOST(1),
    /** A CRC check failed. */
    CRC(2),
    /** A marker and the ULPDU length disagree: the start of the FPDU is lost. */
    MARKER(3),
    /** The MPA Request or Reply frame is invalid. */
    BAD_FRAME(4),
    /** A catastrophic error of our own. */
    LOCAL_CATASTROPHIC(5),
    /** The peer wants more RDMA Reads outstanding than we have room for. */
    INSUFFICIENT_IRD(6),
    /** The peer chose none of the ready-to-receive indications that were offered. */
    NO_MATCHING_RTR(7);

    /** The only error type of the LLP layer, which is MPA. */
    public static final int ERROR_TYPE = 0;

    private final int code;

    MpaError(int code) {
        this.code = code;
    }

    /** The error code in the Terminate message. */
    public int code() {
        return code;
    }
}
