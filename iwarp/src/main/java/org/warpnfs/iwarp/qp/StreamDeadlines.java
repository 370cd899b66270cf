package org.warpnfs.iwarp.qp;

import java.util.concurrent.TimeUnit;

/**
 * Decides how long a stream waits for its peer, and what counts as progress of the peer.
 *
 * <h2>Operation</h2>
 *
 * There is one wait at a time, which {@link StreamLife} begins. A startup, a first message and an end have a fixed
 * time. An orderly close has a time that starts anew if the peer made enough progress in it, at
 * {@link QueuePairConfig#leastBytesPerSecond} or more. Bytes that the peer took, bytes that it answered, and completed
 * requests count as progress. Without a least rate, a peer that takes one byte a minute would hold the posted work for
 * as long as it likes.
 *
 * <h2>Buffers</h2>
 *
 * None.
 *
 * <h2>Errors</h2>
 *
 * None.
 */
final class StreamDeadlines {
    /**
     * The bytes of progress that a completed work request counts as. Each Read or atomic operation beyond the ORD waits
     * for a round trip, whatever its size. With 1 KiB and the default rate, an ORD of 1 and a round trip of 60 ms are
     * fast enough.
     */
    private static final int COMPLETION_BYTES = 1024;

    private final QueuePairLink link;
    private final QueuePairConfig config;
    private final Transmitter transmitter;
    private final Deadline deadline;
    private boolean awaitingMessage;
    private boolean watchingWork;
    private boolean watchingAll;
    private long progressBytes;

    StreamDeadlines(QueuePairLink link, QueuePairConfig config, Transmitter transmitter, Deadline deadline) {
        this.link = link;
        this.config = config;
        this.transmitter = transmitter;
        this.deadline = deadline;
    }

    /** Begins the time for the exchange of startup frames. */
    void startup() {
        begin(config.startupTimeoutNanos());
    }

    /** Begins the time for the first message, after the startup. */
    void firstMessage() {
        begin(config.firstMessageTimeoutNanos());
        awaitingMessage = true;
    }

    /**
     * The stream is in use: an FPDU has arrived, or a message of ours is being sent. This ends the wait for the first
     * message. Later waits have deadlines of their own.
     */
    void used() {
        if (awaitingMessage) {
            clear();
        }
    }

    /** Begins the fixed time for the end of the stream, whatever the peer still takes. */
    void end() {
        begin(config.closeTimeoutNanos());
    }

    /**
     * Begins the time for an orderly close, in which the peer must take the remaining output at the least rate.
     *
     * @param workOnly whether only posted work counts as progress, and not responses to the peer, which could request
     *     them without end
     */
    void parting(boolean workOnly) {
        begin(config.closeTimeoutNanos());
        watchingWork = workOnly;
        watchingAll = !workOnly;
        progressBytes = progressNow();
    }

    /** Ends the wait. Nothing is due now. */
    void clear() {
        awaitingMessage = false;
        watchingWork = false;
        watchingAll = false;
        deadline.clear();
    }

    /** Whether the progress of the peer is being measured. */
    boolean watching() {
        return watchingWork || watchingAll;
    }

    /** The deadline has passed. Returns whether it was started anew because the peer made enough progress. */
    boolean goesOn() {
        if (!watching()) {
            return false;
        }
        long now = progressNow();
        if (now - progressBytes < leastBytes()) {
            return false;
        }
        progressBytes = now;
        deadline.set(config.closeTimeoutNanos());
        return true;
    }

    private void begin(long nanos) {
        awaitingMessage = false;
        watchingWork = false;
        watchingAll = false;
        deadline.set(nanos);
    }

    private long progressNow() {
        SendQueue work = transmitter.work();
        return transmitter.takenBytes(watchingWork, link.unsentBytes())
                + work.readBytes()
                + work.completedCount() * COMPLETION_BYTES;
    }

    /** The least progress in one close timeout. Computed from seconds and a rate, so that no product overflows. */
    private long leastBytes() {
        double seconds = (double) config.closeTimeoutNanos() / TimeUnit.SECONDS.toNanos(1);
        return Math.max(1, (long) (config.leastBytesPerSecond() * seconds));
    }
}
