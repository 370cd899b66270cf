package org.warpnfs.iwarp.qp;

import java.util.concurrent.TimeUnit;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.Fpdu;
import org.warpnfs.iwarp.mpa.MpaChoices;

/**
 * Limits and choices of a queue pair.
 *
 * @param mpa what is asked for, and can be done, in the startup exchange
 * @param mulpduBytes the largest ULPDU that we make; large ones cost less, and kernel siw takes any
 * @param batchBytes about how much is handed to the socket at once
 * @param sendQueueDepth work requests posted and not completed
 * @param receiveQueueDepth receives posted and not completed
 * @param maxRegions regions registered at one time
 * @param startupTimeoutNanos from the TCP connection to the end of the startup frames
 * @param closeTimeoutNanos from the decision to end the stream to its end, if the peer does not play along
 */
public record QueuePairConfig(
        MpaChoices mpa,
        int mulpduBytes,
        int batchBytes,
        int sendQueueDepth,
        int receiveQueueDepth,
        int maxRegions,
        long startupTimeoutNanos,
        long closeTimeoutNanos) {
    /**
     * The default MULPDU: leaves 65516 bytes of payload in a tagged segment and 65512 in an untagged one, multiples of four
     * both, so that only last segments need a pad.
     */
    public static final int DEFAULT_MULPDU_BYTES = 65_530;

    /** The smallest MULPDU that RFC 5044 section 4.5 lets a stream have; it holds the longest Terminate. */
    public static final int MIN_MULPDU_BYTES = 128;

    public QueuePairConfig {
        if (mulpduBytes < MIN_MULPDU_BYTES || mulpduBytes > Fpdu.MAX_ULPDU_BYTES) {
            throw new IllegalArgumentException("MULPDU of " + mulpduBytes + " bytes is not within " + MIN_MULPDU_BYTES
                    + ".." + Fpdu.MAX_ULPDU_BYTES);
        }
        if (batchBytes < 1 || sendQueueDepth < 1 || receiveQueueDepth < 1 || maxRegions < 0) {
            throw new IllegalArgumentException("a queue pair needs room: " + batchBytes + ", " + sendQueueDepth + ", "
                    + receiveQueueDepth + ", " + maxRegions);
        }
        if (startupTimeoutNanos < 1 || closeTimeoutNanos < 1) {
            throw new IllegalArgumentException("timeouts are at least a nanosecond");
        }
    }

    /** No CRC unless asked for, large FPDUs, 10 s to connect and 5 s to part. */
    public static QueuePairConfig defaults() {
        return new QueuePairConfig(
                MpaChoices.defaults(),
                DEFAULT_MULPDU_BYTES,
                512 << 10,
                4096,
                4096,
                4096,
                TimeUnit.SECONDS.toNanos(10),
                TimeUnit.SECONDS.toNanos(5));
    }

    /** These, with other choices for the startup exchange. */
    public QueuePairConfig withMpa(MpaChoices choices) {
        return new QueuePairConfig(
                choices,
                mulpduBytes,
                batchBytes,
                sendQueueDepth,
                receiveQueueDepth,
                maxRegions,
                startupTimeoutNanos,
                closeTimeoutNanos);
    }

    /** These, with another CRC policy. */
    public QueuePairConfig withCrcPolicy(CrcPolicy policy) {
        return withMpa(mpa.withCrcPolicy(policy));
    }

    /** These, with another MULPDU. */
    public QueuePairConfig withMulpduBytes(int bytes) {
        return new QueuePairConfig(
                mpa,
                bytes,
                batchBytes,
                sendQueueDepth,
                receiveQueueDepth,
                maxRegions,
                startupTimeoutNanos,
                closeTimeoutNanos);
    }

    /** These, with another choice of peer-to-peer startup. */
    public QueuePairConfig withPeerToPeer(boolean choice) {
        return withMpa(mpa.withPeerToPeer(choice));
    }

    /** These, with other timeouts. */
    public QueuePairConfig withTimeouts(long startupNanos, long closeNanos) {
        return new QueuePairConfig(
                mpa, mulpduBytes, batchBytes, sendQueueDepth, receiveQueueDepth, maxRegions, startupNanos, closeNanos);
    }
}
