package org.warpnfs.nfs.xdr;

import java.io.IOException;

/**
 * Arguments that the protocol's XDR does not allow. Answered with GARBAGE_ARGS or, in NFSv4, with NFS4ERR_BADXDR. It
 * carries no stack trace: the fault is the peer's, and there may be many.
 */
public final class XdrViolation extends IOException {
    private static final long serialVersionUID = 1L;

    public XdrViolation(String message) {
        super(message);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
