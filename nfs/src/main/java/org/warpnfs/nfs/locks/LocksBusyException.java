package org.warpnfs.nfs.locks;

/**
 * A search met too many locks of owners that are gone. It has removed them, so a repeated search meets fewer. Carries
 * no stack trace.
 */
public final class LocksBusyException extends Exception {
    private static final long serialVersionUID = 1L;

    public LocksBusyException() {
        super("locks of departed owners are being removed", null, false, false);
    }
}
