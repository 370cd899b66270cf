package org.warpnfs.lanes;

/** A call, or the rest of one. Exactly one of the two methods is called, once. */
public interface LaneTask {
    /** Does it. */
    void run();

    /** No thread will ever run it: gives back what it holds and ends the call. Must not block. */
    void refused();
}
