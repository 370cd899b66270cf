package org.warpnfs.iwarp.ddp;

/** Errors that DDP reports to its upper layer (RFC 5041, section 7.2). */
public enum DdpError {
    LOCAL_CATASTROPHIC(0, 0),
    TAGGED_INVALID_STAG(1, 0),
    TAGGED_BOUNDS(1, 1),
    TAGGED_STAG_OF_OTHER_STREAM(1, 2),
    TAGGED_TO_WRAP(1, 3),
    TAGGED_VERSION(1, 4),
    UNTAGGED_QN(2, 1),
    UNTAGGED_NO_BUFFER(2, 2),
    UNTAGGED_MSN_RANGE(2, 3),
    UNTAGGED_MO(2, 4),
    UNTAGGED_TOO_LONG(2, 5),
    UNTAGGED_VERSION(2, 6);

    private final int type;
    private final int code;

    DdpError(int type, int code) {
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
