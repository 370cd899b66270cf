package org.warpnfs.lanes;

/** A call, or the rest of one. Exactly one of the two methods is called, once. */
public interface LaneTask {
    /** Runs the call. */
    void run();

    /** Called if no thread will ever run the call: releases what the task holds and ends the call. Must not block. */
    void refused();
}
