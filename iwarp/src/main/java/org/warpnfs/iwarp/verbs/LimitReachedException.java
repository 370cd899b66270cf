package org.warpnfs.iwarp.verbs;

/**
 * Thrown if a request would exceed a limit of the queue, of the queue pair, or of all of them together. Nothing was
 * taken, and the connection goes on.
 */
public final class LimitReachedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** @param message names the resource that ran out, and its limit */
    public LimitReachedException(String message) {
        super(message);
    }
}
