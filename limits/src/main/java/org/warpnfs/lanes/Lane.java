package org.warpnfs.lanes;

import java.util.List;

/**
 * The threads that run a call, or the rest of one. Short calls never wait behind long ones.
 *
 * <p>The order counts. A call moves to a later lane when it comes to an operation that belongs there, and it never
 * moves back. A short operation at the end of a long call does not need a thread of another lane.
 */
public enum Lane {
    /**
     * The thread on which calls arrive, which serves many connections. For calls that never wait, and for those that
     * move to another lane before they would wait: SEQUENCE, PUTFH, GETATTR, a READ of a few pages.
     */
    EVENT_LOOP,
    /** For calls that need only memory, or a file's attributes: GETATTR, LOOKUP, SEQUENCE, RENEW. */
    SHORT,
    /**
     * For calls that move data or list names, and do not wait for stable storage: READ, WRITE with UNSTABLE, READDIR.
     */
    DATA,
    /** For calls that wait for stable storage, or may take long: COMMIT, WRITE with FILE_SYNC, CREATE, REMOVE, COPY. */
    LONG;

    /** The lanes that have threads of their own. */
    public static List<Lane> withThreads() {
        return List.of(SHORT, DATA, LONG);
    }
}
