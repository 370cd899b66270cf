package org.warpnfs.limits;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether the peer of one connection gives or takes what it has to at the least rate, so that one byte now and
 * then does not keep memory held for ever.
 *
 * <h2>Operation</h2>
 *
 * The least rate is one of a client's line. Its connections that owe bytes at the same time share it
 * ({@link LineSharers}): each has to move its part. So a client whose line is just fast enough may use as many
 * connections as Linux makes, and one connection that moves keeps no other alive.
 *
 * <p>A deadline stands ahead when the peer begins to owe bytes: by the grace, and by the time that the least rate
 * allows for what it owes, but no more than for what the whole least rate brings in the grace. The latter is for
 * progress that is seen in pieces: an RDMA Read is done as a whole, and a socket takes more than a MiB at once. Each
 * byte moves the deadline on by its time at the least rate, but never further ahead than it stood at first: what was
 * fast earns no time to stand still later. When the part of this connection changes, the time for the piece changes
 * with it.
 *
 * <p>Once all is done that was owed at first, or another thing is owed, the deadline is set anew.
 *
 * <p>Time is an argument. For one thread.
 */
public final class RateWatch {
    /**
     * What a peer owes, at one moment.
     *
     * @param owedBytes that it has to give or take; 0 for nothing
     * @param doneBytes that it ever gave or took
     * @param episode a number that changes when what it owes is another thing than before
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
     * @param grace how long everything owed may stand still
     * @param leastBytesPerSecond of the whole line, at least 1
     */
    public RateWatch(Duration grace, long leastBytesPerSecond, LineSharers.Line line) {
        this.graceNanos = grace.toNanos();
        this.leastBytesPerSecond = leastBytesPerSecond;
        this.line = line;
    }

    /** From the next look on less grace is given, and the least rate is not shared. */
    public void hurry(Duration shorter) {
        if (shorter.toNanos() < graceNanos) {
            close();
            line = LineSharers.Line.ALONE;
            graceNanos = shorter.toNanos();
        }
    }

    /** The connection has ended: it has no part of the line any more. */
    public void close() {
        if (watching) {
            watching = false;
            line.end();
        }
    }

    /**
     * Looks; to be called every now and then.
     *
     * @param nowNanos of a clock that only goes forward
     * @return true if the peer is behind the least rate
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
        // So much at once may be more than a number of nanoseconds holds.
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

    /** What the least rate of this connection allows. */
    private double nanosFor(double bytes) {
        return bytes * sharersSeen * TimeUnit.SECONDS.toNanos(1) / leastBytesPerSecond;
    }
}
