package org.warpnfs.nfs.export;

import org.warpnfs.fs.spi.FsError;

/** A handle that names no file here. Carries no stack trace: it is an answer to a client, not a defect. */
public final class HandleViolation extends Exception {
    private static final long serialVersionUID = 1L;

    private final FsError error;

    HandleViolation(FsError error) {
        super(error.name(), null, false, false);
        this.error = error;
    }

    /** BAD_HANDLE if this server never gave it out, STALE if its export is no more. */
    public FsError error() {
        return error;
    }
}
