package org.warpnfs.nfs.v4.state.client;

/**
 * The slots of all sessions together.
 *
 * @param granted slots that clients may use
 * @param busy of those, how many have a request under way
 * @param replayed requests that were answered with the reply their slot kept, since the start
 */
public record SlotCounts(int granted, int busy, long replayed) {}
