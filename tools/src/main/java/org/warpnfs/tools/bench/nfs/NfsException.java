package org.warpnfs.tools.bench.nfs;

import java.io.IOException;

/** The server answered with an error or with a malformed reply. */
public final class NfsException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final int PERM = 1;
    private static final int ACCESS = 13;
    private static final int NO_SPACE = 28;
    private static final int READ_ONLY = 30;
    private static final int QUOTA = 69;
    private static final int STALE = 70;
    private static final int DELAY = 10_008;
    private static final int GRACE = 10_013;
    private static final int RETRY_UNCACHED = 10_068;

    private final int status;

    /**
     * @param status status of NFSv3 or NFSv4, which use the same numbers for the same errors; 0 for a malformed reply
     */
    public NfsException(String what, int status) {
        super(what + ": " + name(status));
        this.status = status;
    }

    /** A malformed reply. */
    public NfsException(String detail) {
        super(detail);
        this.status = 0;
    }

    public int status() {
        return status;
    }

    /** Whether the same call may succeed later. */
    public boolean tryAgain() {
        return status == DELAY || status == GRACE || status == RETRY_UNCACHED;
    }

    private static String name(int status) {
        return switch (status) {
            case PERM, ACCESS -> "permission denied (status " + status + ")";
            case 2 -> "no such file or directory";
            case NO_SPACE -> "no space left on the server";
            case READ_ONLY -> "the export is read-only";
            case QUOTA -> "over quota";
            case STALE -> "stale file handle";
            case GRACE -> "the server is in its grace period";
            default -> "status " + status;
        };
    }
}
