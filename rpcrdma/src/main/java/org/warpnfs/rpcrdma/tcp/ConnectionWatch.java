package org.warpnfs.rpcrdma.tcp;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.LineSharers;
import org.warpnfs.limits.RateWatch;
import org.warpnfs.rpcrdma.stats.Counter;

/**
 * Checks the deadlines of a peer: for its first call, for the rest of a record that it began, and for taking its
 * replies.
 *
 * <p>Time in which we do not read from the peer does not count as its delay. Time is an argument. For the event loop
 * only.
 */
final class ConnectionWatch {
    /**
     * The state of a connection at one moment.
     *
     * @param called whether a complete call has arrived
     * @param reading whether we read from the peer
     * @param recordBytes the most bytes that are still to come of a record that has begun
     * @param records how many records have begun
     * @param receivedBytes bytes received since the connection began
     * @param untakenBytes bytes of replies that wait for the peer
     * @param emptied how many times all replies had been taken
     * @param takenBytes bytes taken since the connection began
     * @param drained whether the connection ends when its replies have been taken
     */
    record Look(
            boolean called,
            boolean reading,
            long recordBytes,
            long records,
            long receivedBytes,
            long untakenBytes,
            long emptied,
            long takenBytes,
            boolean drained) {}

    private final RateWatch record;
    private final RateWatch replies;
    private final RateWatch lastReplies;
    private final RateWatch firstCall;

    /**
     * @param upward the client's line for the bytes that it sends
     * @param downward the client's line for the bytes that it takes
     */
    ConnectionWatch(TcpOptions options, LineSharers.Line upward, LineSharers.Line downward) {
        long least = options.leastBytesPerSecond();
        Duration grace = options.grace();
        this.record = new RateWatch(grace, least, upward);
        this.replies = new RateWatch(grace, least, downward);
        this.lastReplies = new RateWatch(options.drainGrace(), least, LineSharers.Line.ALONE);
        this.firstCall = new RateWatch(options.firstMessageLimit(), least, LineSharers.Line.ALONE);
    }

    /** The connection has ended and no longer shares its client's line. */
    void close() {
        record.close();
        replies.close();
    }

    /**
     * Checks the deadlines. To be called regularly.
     *
     * @param nowNanos a clock that never goes back
     * @return the counter of the missed deadline; null if none was missed
     */
    @Nullable
    Counter overdue(Look look, long nowNanos) {
        // All watches check each time, so that each knows the progress since the last check.
        RateWatch.Progress call = new RateWatch.Progress(!look.called && look.reading ? 1 : 0, 0, 0);
        RateWatch.Progress given =
                new RateWatch.Progress(look.reading ? look.recordBytes : 0, look.receivedBytes, look.records);
        RateWatch.Progress taken = new RateWatch.Progress(look.untakenBytes, look.takenBytes, look.emptied);
        RateWatch.Progress takenLast = new RateWatch.Progress(look.drained ? look.untakenBytes : 0, look.takenBytes, 0);
        boolean silent = firstCall.behind(call, nowNanos);
        boolean slowRecord = record.behind(given, nowNanos);
        boolean slowTaking = replies.behind(taken, nowNanos);
        boolean slowEnd = lastReplies.behind(takenLast, nowNanos);
        if (slowTaking || slowEnd) {
            return Counter.REPLIES_TOO_SLOW;
        }
        if (slowRecord) {
            return Counter.RECORDS_TOO_SLOW;
        }
        return silent ? Counter.FIRST_CALLS_MISSED : null;
    }
}
