package org.warpnfs.iwarp.verbs;

/** How a work request ended. */
public enum CompletionStatus {
    /** It did what it says. */
    SUCCESS,
    /** The queue pair left the connected state first (RFC 5040 §6.2: outstanding work is flushed). */
    FLUSHED,
    /** The message was longer than the posted receive buffer; the stream ends with it. */
    LENGTH_ERROR,
    /**
     * The stream ended because of this very request: the peer refused it, or its answer was wrong, or the message that came for
     * a receive asked for what it must not.
     */
    REMOTE_ERROR
}
