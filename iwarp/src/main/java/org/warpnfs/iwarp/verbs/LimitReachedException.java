package org.warpnfs.iwarp.verbs;

/**
 * Something was asked for that a limit does not leave room for: of the queue, of the queue pair, or of all of them
 * together. Nothing was taken; the connection goes on.
 */
public final class LimitReachedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** @param message names what ran out, and the limit */
    public LimitReachedException(String message) {
        super(message);
    }
}
