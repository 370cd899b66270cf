package org.warpnfs.iwarp.qp;

import java.util.concurrent.TimeUnit;

/**
 * How long a stream waits for its peer, and what counts as the peer's doing its part.
 *
 * <h2>Operation</h2>
 *
 * One wait at a time, each begun by {@link StreamLife}. A startup, a first message and an end have a fixed time.
 * Parting has one that begins anew at its end if the peer has meanwhile taken, answered or been done with enough: at
 * least {@link QueuePairConfig#leastBytesPerSecond}. Without a least rate, a peer that takes one byte a minute would
 * hold all that was posted for as long as it likes.
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
     * What a completed work request counts at least. Reads and atomic operations beyond the ORD wait for a round trip
     * each, whatever their size: with 1 KiB and the default rate, an ORD of 1 and a round trip of 60 ms are enough.
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

    /** The frames of the startup are to be exchanged. */
    void startup() {
        begin(config.startupTimeoutNanos());
    }

    /** The startup is over and its initiator has something to say. */
    void firstMessage() {
        begin(config.firstMessageTimeoutNanos());
        awaitingMessage = true;
    }

    /** An FPDU has arrived, or something of ours leaves: whoever uses the stream now has deadlines of its own. */
    void used() {
        if (awaitingMessage) {
            clear();
        }
    }

    /** The stream is over: what is left to happen has this time, whatever the peer takes. */
    void end() {
        begin(config.closeTimeoutNanos());
    }

    /**
     * What is left to say is to be taken at the least rate.
     *
     * @param workOnly whether only what was posted counts, and not what the peer asks for, of which there need be no
     *     end
     */
    void parting(boolean workOnly) {
        begin(config.closeTimeoutNanos());
        watchingWork = workOnly;
        watchingAll = !workOnly;
        progressBytes = progressNow();
    }

    /** Nothing is to be taken at the moment. */
    void clear() {
        awaitingMessage = false;
        watchingWork = false;
        watchingAll = false;
        deadline.clear();
    }

    /** Whether the peer is being watched for what it takes. */
    boolean watching() {
        return watchingWork || watchingAll;
    }

    /** The deadline has passed; whether it has begun anew, since the peer does its part. */
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

    /** Of one time to close, at the least rate; of seconds and a rate, so that neither product overflows. */
    private long leastBytes() {
        double seconds = (double) config.closeTimeoutNanos() / TimeUnit.SECONDS.toNanos(1);
        return Math.max(1, (long) (config.leastBytesPerSecond() * seconds));
    }
}
