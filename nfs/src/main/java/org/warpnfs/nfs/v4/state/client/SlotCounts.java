package org.warpnfs.nfs.v4.state.client;

/**
 * Counts of the slots of all sessions.
 *
 * @param granted slots that clients may use
 * @param busy number of these with a request in progress
 * @param replayed requests that were answered with the reply that their slot kept, since the start
 */
public record SlotCounts(int granted, int busy, long replayed) {}
