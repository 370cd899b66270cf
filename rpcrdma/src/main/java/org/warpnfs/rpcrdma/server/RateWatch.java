package org.warpnfs.rpcrdma.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether a peer gives or takes what it has to at the least rate, so that one byte now and then does not keep memory held for
 * ever.
 *
 * <h2>Operation</h2>
 *
 * Time is looked at in windows. A window begins at a look that finds bytes outstanding, and asks for all of them, or for as many as
 * the least rate brings in the grace, whichever is less. They may take the grace and, beyond it, their time at the least rate. Once
 * they are done the next window begins, so bytes that were done fast earn no time to stand still later.
 *
 * <p>What is outstanding has to end in the order in which it began, and no single piece of it may be longer than what the least
 * rate brings in the grace. Owner thread only.
 */
final class RateWatch {
    private final long leastBytesPerSecond;
    private Duration grace;
    private boolean watching;
    private long sinceNanos;
    private long doneAtStart;
    private long targetBytes;

    /**
     * @param grace how long everything outstanding may stand still
     * @param leastBytesPerSecond at least 1
     */
    RateWatch(Duration grace, long leastBytesPerSecond) {
        this.grace = grace;
        this.leastBytesPerSecond = leastBytesPerSecond;
    }

    /** From the next look on less grace is given. */
    void hurry(Duration shorter) {
        if (shorter.compareTo(grace) < 0) {
            grace = shorter;
            watching = false;
        }
    }

    /**
     * Looks; to be called every now and then.
     *
     * @param outstandingBytes what the peer has to give or take
     * @param doneBytes what it ever gave or took
     * @param nowNanos of a clock that only goes forward
     * @return true if it is behind the least rate
     */
    boolean behind(long outstandingBytes, long doneBytes, long nowNanos) {
        if (outstandingBytes == 0) {
            watching = false;
            return false;
        }
        if (!watching || doneBytes - doneAtStart >= targetBytes) {
            watching = true;
            sinceNanos = nowNanos;
            doneAtStart = doneBytes;
            targetBytes = Math.clamp(outstandingBytes, 1, Math.max(1, bytesIn(grace)));
            return false;
        }
        return nowNanos - sinceNanos > grace.toNanos() + nanosFor(targetBytes);
    }

    private long bytesIn(Duration time) {
        return (long) (time.toNanos() / (double) TimeUnit.SECONDS.toNanos(1) * leastBytesPerSecond);
    }

    private long nanosFor(long bytes) {
        return (long) (bytes / (double) leastBytesPerSecond * TimeUnit.SECONDS.toNanos(1));
    }
}
