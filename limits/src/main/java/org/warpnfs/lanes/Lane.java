package org.warpnfs.lanes;

/**
 * The threads that run a call, or the rest of one. Short calls never wait behind long ones.
 *
 * <p>The order counts. A call moves to a later lane when it comes to an operation that belongs there, and it never
 * moves back. A short operation at the end of a long call does not need a thread of another lane.
 */
public enum Lane {
    /** For calls that need only memory, or a file's attributes: GETATTR, LOOKUP, SEQUENCE, RENEW. */
    SHORT,
    /**
     * For calls that move data or list names, and do not wait for stable storage: READ, WRITE with UNSTABLE, READDIR.
     */
    DATA,
    /** For calls that wait for stable storage, or may take long: COMMIT, WRITE with FILE_SYNC, CREATE, REMOVE, COPY. */
    LONG
}
