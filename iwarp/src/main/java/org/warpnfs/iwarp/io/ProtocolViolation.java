package org.warpnfs.iwarp.io;

/**
 * Thrown when the peer broke a protocol. It ends the stream that it came from, and nothing else.
 *
 * <p>The exception is checked, so that every caller handles it. It has no stack trace: the fault is the peer's, and a
 * hostile peer must not make us pay for walking the stack.
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
