package org.warpnfs.rpcrdma.request;

import java.time.Duration;

/**
 * How long to go on when connections end.
 *
 * @param attempts connections in a row that may fail or end without a single reply, and how often one call is sent,
 *     before the calls that wait fail; at least 1
 * @param firstDelay before the second of them; it doubles from there on. The first attempt comes at once
 * @param maxDelay the longest pause
 * @param maxCalls calls that may be outstanding or wait, together
 */
public record RetryPolicy(int attempts, Duration firstDelay, Duration maxDelay, int maxCalls) {
    /** Gives a server half a minute to come back. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(10, Duration.ofMillis(100), Duration.ofSeconds(5), 4096);

    /** Nothing is sent twice. */
    public static final RetryPolicy NONE = new RetryPolicy(1, Duration.ZERO, Duration.ZERO, 4096);

    public RetryPolicy {
        if (attempts < 1 || maxCalls < 1 || firstDelay.isNegative() || maxDelay.isNegative()) {
            throw new IllegalArgumentException("at least one attempt and one call: " + attempts + ", " + maxCalls);
        }
    }

    /** The pause after {@code failures} attempts in a row that led to nothing. */
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
