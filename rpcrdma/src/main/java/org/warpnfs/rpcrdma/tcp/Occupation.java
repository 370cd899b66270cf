package org.warpnfs.rpcrdma.tcp;

/** What a connection does, seen by one that looks for a place to give to another. */
enum Occupation {
    /** No call is in flight and no record has begun. */
    IDLE,
    /** Programs have answered; the peer has yet to take a reply, or to send the rest of a record. */
    WAITS_FOR_PEER,
    /** A call is running, or waits for its turn. */
    BUSY;

    /** @param sinceNanos of {@link System#nanoTime} */
    record Since(Occupation occupation, long sinceNanos) {}
}
