package org.warpnfs.nfs.export;

import org.warpnfs.fs.spi.FsError;

/** A handle that names no file here. It carries no stack trace, since it reports no defect of the server. */
public final class HandleViolation extends Exception {
    private static final long serialVersionUID = 1L;

    private final FsError error;

    HandleViolation(FsError error) {
        super(error.name(), null, false, false);
        this.error = error;
    }

    /**
     * BAD_HANDLE if this server never made the handle, STALE if its export is no longer served. Of the handle of a
     * layout ACCESS if the layout was revoked or does not permit it, IO if that is not known.
     */
    public FsError error() {
        return error;
    }
}
