package org.warpnfs.limits;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Checks that the peer of one connection gives or takes the bytes that it owes at the least rate or faster. Without it,
 * one byte now and then would hold memory for ever.
 *
 * <h2>Operation</h2>
 *
 * The least rate belongs to the line of a client. All its connections that owe bytes at the same time share the rate
 * ({@link LineSharers}), and each must move its part. So a client whose line is just fast enough may use as many
 * connections as Linux opens, and a connection that makes progress does not keep an idle one alive.
 *
 * <p>When the peer begins to owe bytes, its deadline is set. It lies ahead by the grace, plus the time that the least
 * rate allows for the owed bytes, but for no more bytes than the whole least rate moves in the grace. The additional
 * time is for progress that shows only in large steps: an RDMA Read completes as a whole, and a socket takes more than
 * a MiB at once. Each byte moves the deadline by its time at the least rate, but never further ahead than it was at
 * first. So a fast peer does not earn time to stand still later. When the part of this connection changes, the
 * additional time changes with it.
 *
 * <p>The deadline is set anew when all that was owed at first is done, or when something else is owed.
 *
 * <p>Time is an argument. For one thread at a time.
 */
public final class RateWatch {
    /**
     * What a peer owes at one moment.
     *
     * @param owedBytes the bytes that it must give or take; 0 for nothing
     * @param doneBytes the bytes that it has ever given or taken
     * @param episode a number that changes when the peer owes something else than before
     */
    public record Progress(long owedBytes, long doneBytes, long episode) {}

    private final long leastBytesPerSecond;
    private LineSharers.Line line;
    private long graceNanos;
    private boolean watching;
    private Progress first = new Progress(0, 0, 0);
    private long doneBytesSeen;
    private long seenNanos;
    private int sharersSeen;
    private long leftNanos;

    /**
     * @param grace how long all owed bytes may stand still
     * @param leastBytesPerSecond the least rate of the whole line, at least 1
     */
    public RateWatch(Duration grace, long leastBytesPerSecond, LineSharers.Line line) {
        this.graceNanos = grace.toNanos();
        this.leastBytesPerSecond = leastBytesPerSecond;
        this.line = line;
    }

    /** Shortens the grace. From the next check on, the least rate is not shared either. */
    public void hurry(Duration shorter) {
        if (shorter.toNanos() < graceNanos) {
            close();
            line = LineSharers.Line.ALONE;
            graceNanos = shorter.toNanos();
        }
    }

    /** The connection has ended and no longer shares the line. */
    public void close() {
        if (watching) {
            watching = false;
            line.end();
        }
    }

    /**
     * Checks the progress. To be called regularly.
     *
     * @param nowNanos a clock that never goes back
     * @return true if the peer is slower than the least rate
     */
    public boolean behind(Progress now, long nowNanos) {
        if (now.owedBytes == 0) {
            close();
            return false;
        }
        if (!watching) {
            watching = true;
            line.begin();
            begin(now, nowNanos);
        } else if (now.episode != first.episode || now.doneBytes - first.doneBytes >= first.owedBytes) {
            begin(now, nowNanos);
        } else {
            goOn(now, nowNanos);
        }
        return leftNanos < 0;
    }

    private void begin(Progress now, long nowNanos) {
        first = now;
        doneBytesSeen = now.doneBytes;
        seenNanos = nowNanos;
        sharersSeen = line.sharers();
        leftNanos = mostNanos(now);
    }

    private void goOn(Progress now, long nowNanos) {
        int sharers = line.sharers();
        if (sharers != sharersSeen && leftNanos > graceNanos) {
            leftNanos = graceNanos + (leftNanos - graceNanos) / sharersSeen * sharers;
        }
        sharersSeen = sharers;
        // As a double, because so many bytes at once may be more time than a long of nanoseconds holds.
        double earnedNanos = nanosFor((double) (now.doneBytes - doneBytesSeen));
        double goneNanos = (double) (nowNanos - seenNanos);
        leftNanos = (long) Math.min((double) mostNanos(now), leftNanos + earnedNanos - goneNanos);
        doneBytesSeen = now.doneBytes;
        seenNanos = nowNanos;
    }

    private long mostNanos(Progress now) {
        double bytesInGrace = (double) graceNanos / TimeUnit.SECONDS.toNanos(1) * leastBytesPerSecond;
        return graceNanos + (long) nanosFor(Math.min((double) now.owedBytes, bytesInGrace));
    }

    /** The time that the least rate of this connection allows for a number of bytes. */
    private double nanosFor(double bytes) {
        return bytes * sharersSeen * TimeUnit.SECONDS.toNanos(1) / leastBytesPerSecond;
    }
}
