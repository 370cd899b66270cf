package org.warpnfs.rpcrdma.request;

import java.time.Duration;

/**
 * The rules for reconnecting when connections end.
 *
 * @param attempts how many connections in a row may fail or end without a single reply before the waiting calls fail,
 *     and how often one call is sent; at least 1
 * @param firstDelay the pause before the second attempt, which doubles for each further attempt; the first attempt is
 *     made at once
 * @param maxDelay the longest pause
 * @param maxCalls the most calls that are outstanding or wait, together
 */
public record RetryPolicy(int attempts, Duration firstDelay, Duration maxDelay, int maxCalls) {
    /** Waits about half a minute for a server to come back. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(10, Duration.ofMillis(100), Duration.ofSeconds(5), 4096);

    /** Sends no call twice. */
    public static final RetryPolicy NONE = new RetryPolicy(1, Duration.ZERO, Duration.ZERO, 4096);

    public RetryPolicy {
        if (attempts < 1 || maxCalls < 1 || firstDelay.isNegative() || maxDelay.isNegative()) {
            throw new IllegalArgumentException("at least one attempt and one call: " + attempts + ", " + maxCalls);
        }
    }

    /** The pause after {@code failures} failed attempts in a row. */
    long delayNanos(int failures) {
        if (failures == 0) {
            return 0;
        }
        long delay = firstDelay.toNanos();
        for (int i = 1; i < failures && delay < maxDelay.toNanos(); i++) {
            delay *= 2;
        }
        return Math.min(delay, maxDelay.toNanos());
    }
}
