package org.warpnfs.rpcrdma.tcp;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether a peer is slower than a least rate.
 *
 * <p>A deadline stands one grace ahead when work begins to wait for the peer. Each byte moves it on by the time that the least rate
 * allows for a byte, but never to more than one grace from now. So a peer may pause for one grace, and may not live on single bytes.
 *
 * <p>Time is an argument. For one thread.
 */
final class RateWatch {
    private final long graceNanos;
    private final long leastBytesPerSecond;
    private final double graceBytes;
    private boolean watching;
    private long episodeSeen;
    private long doneBytesSeen;
    private long deadlineNanos;

    RateWatch(Duration grace, long leastBytesPerSecond) {
        this.graceNanos = grace.toNanos();
        this.leastBytesPerSecond = leastBytesPerSecond;
        this.graceBytes = (double) leastBytesPerSecond * graceNanos / TimeUnit.SECONDS.toNanos(1);
    }

    /**
     * Looks; to be called every now and then.
     *
     * @param busy whether something waits for the peer now
     * @param episode a number that changes when what waits is another thing than before, or when nothing waited in between
     * @param doneBytes bytes that the peer has given or taken since the connection began
     * @param nowNanos of a clock that only goes forward
     * @return true if the deadline has passed
     */
    boolean late(boolean busy, long episode, long doneBytes, long nowNanos) {
        boolean goesOn = watching && episode == episodeSeen;
        long bytes = doneBytes - doneBytesSeen;
        watching = busy;
        episodeSeen = episode;
        doneBytesSeen = doneBytes;
        if (!busy) {
            return false;
        }
        if (!goesOn || bytes >= graceBytes) {
            deadlineNanos = nowNanos + graceNanos;
            return false;
        }
        long earnedNanos = (long) ((double) bytes * TimeUnit.SECONDS.toNanos(1) / leastBytesPerSecond);
        long leftNanos = Math.min(graceNanos, deadlineNanos + earnedNanos - nowNanos);
        deadlineNanos = nowNanos + leftNanos;
        return leftNanos < 0;
    }
}
