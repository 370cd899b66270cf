package org.warpnfs.iwarp.rdmap;

/** Errors of the RDMA layer (RFC 5040, section 4.8, Figure 9). */
public enum RdmapError {
    LOCAL_CATASTROPHIC(0, 0),
    PROTECTION_INVALID_STAG(1, 0),
    PROTECTION_BOUNDS(1, 1),
    PROTECTION_ACCESS_RIGHTS(1, 2),
    PROTECTION_STAG_OF_OTHER_STREAM(1, 3),
    PROTECTION_TO_WRAP(1, 4),
    PROTECTION_CANNOT_INVALIDATE(1, 9),
    PROTECTION_UNSPECIFIED(1, 0xff),
    OPERATION_VERSION(2, 5),
    OPERATION_OPCODE(2, 6),
    OPERATION_CATASTROPHIC_STREAM(2, 7),
    OPERATION_CATASTROPHIC_GLOBAL(2, 8),
    OPERATION_CANNOT_INVALIDATE(2, 9),
    OPERATION_UNSPECIFIED(2, 0xff);

    private final int type;
    private final int code;

    RdmapError(int type, int code) {
        this.type = type;
        this.code = code;
    }

    /** Error type, 4 bits. */
    public int type() {
        return type;
    }

    /** Error code, 8 bits. */
    public int code() {
        return code;
    }
}
