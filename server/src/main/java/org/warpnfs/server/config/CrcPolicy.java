package org.warpnfs.server.config;

/** Whether FPDUs carry a checked CRC32C (RFC 5044, section 7.1.1: in use if either side asks). */
public enum CrcPolicy {
    /** Only if the client asks: TCP and the link have checksums of their own. */
    OFF,
    /** Always. */
    ON
}
