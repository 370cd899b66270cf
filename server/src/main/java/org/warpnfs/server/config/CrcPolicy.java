package org.warpnfs.server.config;

/** Whether the server asks for a CRC32C in FPDUs (RFC 5044, section 7.1.1: it is used if either side asks). */
public enum CrcPolicy {
    /** Only if the client asks: TCP and the link have checksums of their own. */
    OFF,
    /** Always. */
    ON
}
