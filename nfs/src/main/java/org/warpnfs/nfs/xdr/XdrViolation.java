package org.warpnfs.nfs.xdr;

import java.io.IOException;

/**
 * The peer's arguments are not what the protocol's XDR allows. Answered with GARBAGE_ARGS or its NFSv4 like. Carries no
 * stack trace: the fault is the peer's, and its number may be large.
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
