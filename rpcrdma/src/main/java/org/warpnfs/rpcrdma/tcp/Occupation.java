package org.warpnfs.rpcrdma.tcp;

/** What a connection does, for choosing the one to close for another. */
enum Occupation {
    /** No call is in flight and no record has begun. */
    IDLE,
    /** All calls have been answered. The peer has to take a reply or to send the rest of a record. */
    WAITS_FOR_PEER,
    /** A call is running, or waits for its turn. */
    BUSY;

    /** @param sinceNanos a time of {@link System#nanoTime} */
    record Since(Occupation occupation, long sinceNanos) {}
}
