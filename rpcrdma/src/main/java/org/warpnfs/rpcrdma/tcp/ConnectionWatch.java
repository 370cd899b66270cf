package org.warpnfs.rpcrdma.tcp;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
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
     * @param awaitsRecord whether a record has begun, and we read
     * @param records how many records have begun
     * @param receivedBytes since the connection began
     * @param awaitsTaking whether replies wait for the peer
     * @param emptied how many times nothing was left to be taken
     * @param takenBytes since the connection began
     * @param drained whether the connection ends when its replies have been taken
     */
    record Look(
            boolean called,
            boolean reading,
            boolean awaitsRecord,
            long records,
            long receivedBytes,
            boolean awaitsTaking,
            long emptied,
            long takenBytes,
            boolean drained) {}

    private final RateWatch record;
    private final RateWatch replies;
    private final RateWatch lastReplies;
    private final RateWatch firstCall;

    ConnectionWatch(TcpOptions options) {
        long least = options.leastBytesPerSecond();
        Duration grace = options.grace();
        this.record = new RateWatch(grace, least);
        this.replies = new RateWatch(grace, least);
        this.lastReplies = new RateWatch(options.drainGrace(), least);
        this.firstCall = new RateWatch(options.firstMessageLimit(), least);
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
        boolean silent = firstCall.late(!look.called && look.reading, 0, 0, nowNanos);
        boolean slowRecord = record.late(look.awaitsRecord && look.reading, look.records, look.receivedBytes, nowNanos);
        boolean slowTaking = replies.late(look.awaitsTaking, look.emptied, look.takenBytes, nowNanos);
        boolean slowEnd = lastReplies.late(look.awaitsTaking && look.drained, 0, look.takenBytes, nowNanos);
        if (slowTaking || slowEnd) {
            return Counter.REPLIES_TOO_SLOW;
        }
        if (slowRecord) {
            return Counter.RECORDS_TOO_SLOW;
        }
        return silent ? Counter.FIRST_CALLS_MISSED : null;
    }
}
