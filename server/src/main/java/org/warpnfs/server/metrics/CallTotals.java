package org.warpnfs.server.metrics;

import org.warpnfs.nfs.stats.Metered;

/**
 * What one procedure or operation came to since the start.
 *
 * @param count how often it ended
 * @param nanos all their times together
 * @param errors how often it ended with another status than OK
 */
public record CallTotals(Metered what, long count, long nanos, long errors) {}
