package org.warpnfs.rpcrdma.tcp;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.LineSharers;
import org.warpnfs.limits.RateWatch;
import org.warpnfs.rpcrdma.stats.Counter;

/**
 * What a peer must do in time: make its first call, deliver a record that it began, take its replies.
 *
 * <p>A time in which we do not read from the peer is not counted as its delay. Time is an argument. Event loop only.
 */
final class ConnectionWatch {
    /**
     * What a connection looks like at one moment.
     *
     * @param called whether a whole call has come
     * @param reading whether we read
     * @param recordBytes that may still be to come of a record that has begun
     * @param records how many records have begun
     * @param receivedBytes since the connection began
     * @param untakenBytes of replies that wait for the peer
     * @param emptied how many times nothing was left to be taken
     * @param takenBytes since the connection began
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
     * @param upward the client's line for what it sends
     * @param downward the client's line for what it takes
     */
    ConnectionWatch(TcpOptions options, LineSharers.Line upward, LineSharers.Line downward) {
        long least = options.leastBytesPerSecond();
        Duration grace = options.grace();
        this.record = new RateWatch(grace, least, upward);
        this.replies = new RateWatch(grace, least, downward);
        this.lastReplies = new RateWatch(options.drainGrace(), least, LineSharers.Line.ALONE);
        this.firstCall = new RateWatch(options.firstMessageLimit(), least, LineSharers.Line.ALONE);
    }

    /** The connection has ended, and has no part of its client's line any more. */
    void close() {
        record.close();
        replies.close();
    }

    /**
     * Looks; to be called every now and then.
     *
     * @param nowNanos of a clock that only goes forward
     * @return what the peer has not done in time, as the counter of those; null if it is in time
     */
    @Nullable
    Counter overdue(Look look, long nowNanos) {
        // Each looks each time, so that each knows what has been done since.
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
