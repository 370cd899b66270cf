package org.warpnfs.nfs.nlm;

import org.warpnfs.fs.spi.FsException;

/** nlm4_stats (RFC 1813, section 6.1.2.1). */
enum NlmStatus {
    GRANTED(0),
    DENIED(1),
    /** There is no room for more locks. */
    DENIED_NOLOCKS(2),
    /** The request waits; GRANTED will be called. */
    BLOCKED(3),
    /** Locks may only be reclaimed now; the client asks again. */
    DENIED_GRACE_PERIOD(4),
    DEADLCK(5),
    ROFS(6),
    STALE_FH(7),
    FBIG(8),
    FAILED(9);

    private final int code;

    NlmStatus(int code) {
        this.code = code;
    }

    /** What a client is told of an error of the backend. */
    static NlmStatus of(FsException failure) {
        return switch (failure.error()) {
            case STALE, BAD_HANDLE -> STALE_FH;
            // The client asks again.
            case TRY_LATER -> DENIED_GRACE_PERIOD;
            case NO_LOCKS, NOT_SUPPORTED -> DENIED_NOLOCKS;
            case READ_ONLY -> ROFS;
            default -> FAILED;
        };
    }

    int code() {
        return code;
    }
}
