package org.warpnfs.iwarp.io;

/**
 * The peer broke a protocol. Checked, so that no path forgets it; without a stack trace, because it tells about the
 * peer and because a hostile peer must not make us walk the stack. Ends the stream that it came from, and nothing else.
 */
public abstract class ProtocolViolation extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param detail what was wrong, with the RFC section that says so */
    protected ProtocolViolation(String detail) {
        super(detail, null, false, false);
    }

    /** What was wrong, with the RFC section that says so. */
    public final String detail() {
        return String.valueOf(getMessage());
    }
}
