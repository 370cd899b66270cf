package org.warpnfs.lanes;

/**
 * Which threads run a call, or the rest of one. What is short never waits behind what is long.
 *
 * <p>The order counts: a call moves on to a later lane when it comes to something that belongs there, and never back.
 * What is short at the end of a long call does not need a thread of its own.
 */
public enum Lane {
    /** Answers from memory, or after a look at a file's attributes: GETATTR, LOOKUP, SEQUENCE, RENEW. */
    SHORT,
    /** Moves data or lists names, and waits for no stable storage: READ, WRITE with UNSTABLE, READDIR. */
    DATA,
    /** Waits for stable storage, or may take long: COMMIT, WRITE with FILE_SYNC, CREATE, REMOVE, COPY. */
    LONG
}
