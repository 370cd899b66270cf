package org.warpnfs.iwarp.verbs;

/** The result of a work request or receive. */
public enum CompletionStatus {
    /** The request was carried out. */
    SUCCESS,
    /**
     * The queue pair left the connected state before the request was done (RFC 5040, section 6.2: outstanding work is
     * flushed).
     */
    FLUSHED,
    /** The message was longer than the posted receive buffer. It ended the stream. */
    LENGTH_ERROR,
    /** This request or receive ended the stream: the peer refused the request, or its response or message was wrong. */
    REMOTE_ERROR,
    /** This request ended the stream, because the peer does not support its kind (RFC 7306, section 1.1). */
    UNSUPPORTED
}
