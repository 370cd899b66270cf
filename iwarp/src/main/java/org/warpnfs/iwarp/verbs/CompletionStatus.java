package org.warpnfs.iwarp.verbs;

/** How a work request ended. */
public enum CompletionStatus {
    /** It did what it says. */
    SUCCESS,
    /** The queue pair left the connected state first (RFC 5040, section 6.2: outstanding work is flushed). */
    FLUSHED,
    /** The message was longer than the posted receive buffer; the stream ends with it. */
    LENGTH_ERROR,
    /**
     * The stream ended because of this very request or receive: the peer refused it, or what it sent for it was wrong.
     */
    REMOTE_ERROR,
    /** The stream ended because the peer does not know this kind of request (RFC 7306, section 1.1). */
    UNSUPPORTED
}
