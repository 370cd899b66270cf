package org.warpnfs.iwarp.qp;

import java.util.concurrent.TimeUnit;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.Fpdu;
import org.warpnfs.iwarp.mpa.MpaChoices;

/**
 * Limits and choices of a queue pair.
 *
 * @param mpa what is asked for, and can be done, in the startup exchange
 * @param mulpduBytes the largest ULPDU that we make; large ones cost less, and kernel siw takes any. With markers it is
 *     smaller by what they take up, so that FPDUs are no longer (RFC 5044, section 4.5)
 * @param batchBytes about how much is handed to the socket at once
 * @param limits what it may take
 * @param startupTimeoutNanos from the TCP connection to the end of the startup frames, the promised RTR of peer-to-peer
 *     mode included
 * @param firstMessageTimeoutNanos as responder, from our reply to the initiator's first FPDU; in peer-to-peer mode from
 *     its RTR to the next FPDU, or to the first message of our own. An initiator connects because it has something to
 *     say
 * @param closeTimeoutNanos from the decision to end the stream to its end, if the peer does not play along; begins anew
 *     as long as the peer takes what was posted at the least rate
 * @param leastBytesPerSecond the least rate: a peer that takes less of what is left to say while the stream parts is
 *     not waited for
 */
public record QueuePairConfig(
        MpaChoices mpa,
        int mulpduBytes,
        int batchBytes,
        QueuePairLimits limits,
        long startupTimeoutNanos,
        long firstMessageTimeoutNanos,
        long closeTimeoutNanos,
        long leastBytesPerSecond) {
    /**
     * The default MULPDU: leaves 65516 bytes of payload in a tagged segment and 65512 in an untagged one, multiples of
     * four both, so that only last segments need a pad.
     */
    public static final int DEFAULT_MULPDU_BYTES = 65_530;

    /** The smallest MULPDU that RFC 5044, section 4.5 lets a stream have; it holds the longest Terminate. */
    public static final int MIN_MULPDU_BYTES = Fpdu.MIN_MULPDU_BYTES;

    public QueuePairConfig {
        if (mulpduBytes < MIN_MULPDU_BYTES || mulpduBytes > Fpdu.MAX_ULPDU_BYTES) {
            throw new IllegalArgumentException("MULPDU of " + mulpduBytes + " bytes is not within " + MIN_MULPDU_BYTES
                    + ".." + Fpdu.MAX_ULPDU_BYTES);
        }
        if (batchBytes < 1) {
            throw new IllegalArgumentException("a batch holds at least a byte: " + batchBytes);
        }
        if (startupTimeoutNanos < 1 || firstMessageTimeoutNanos < 1 || closeTimeoutNanos < 1) {
            throw new IllegalArgumentException("timeouts are at least a nanosecond");
        }
        if (leastBytesPerSecond < 1) {
            throw new IllegalArgumentException("the least rate is at least a byte a second: " + leastBytesPerSecond);
        }
    }

    /**
     * No CRC unless asked for, large FPDUs, 10 s to connect, 30 s to the first message and 5 s to part; 16 KiB a second
     * while parting, which a line of 128 kbit/s still takes.
     */
    public static QueuePairConfig defaults() {
        return new Builder().build();
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** These, to be changed. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.mpa = mpa;
        builder.mulpduBytes = mulpduBytes;
        builder.batchBytes = batchBytes;
        builder.limits = limits;
        builder.startupTimeoutNanos = startupTimeoutNanos;
        builder.firstMessageTimeoutNanos = firstMessageTimeoutNanos;
        builder.closeTimeoutNanos = closeTimeoutNanos;
        builder.leastBytesPerSecond = leastBytesPerSecond;
        return builder;
    }

    /** These, with other choices for the startup exchange. */
    public QueuePairConfig withMpa(MpaChoices choices) {
        return toBuilder().mpa(choices).build();
    }

    /** These, with another CRC policy. */
    public QueuePairConfig withCrcPolicy(CrcPolicy policy) {
        return withMpa(mpa.withCrcPolicy(policy));
    }

    /** These, with another MULPDU. */
    public QueuePairConfig withMulpduBytes(int bytes) {
        return toBuilder().mulpduBytes(bytes).build();
    }

    /** These, with another choice of peer-to-peer startup. */
    public QueuePairConfig withPeerToPeer(boolean choice) {
        return withMpa(mpa.withPeerToPeer(choice));
    }

    /** These, with other timeouts. */
    public QueuePairConfig withTimeouts(long startupNanos, long closeNanos) {
        return toBuilder().timeoutsNanos(startupNanos, closeNanos).build();
    }

    /** A configuration under construction; each setter is named after what it sets. */
    public static final class Builder {
        private MpaChoices mpa = MpaChoices.defaults();
        private int mulpduBytes = DEFAULT_MULPDU_BYTES;
        private int batchBytes = 512 << 10;
        private QueuePairLimits limits = QueuePairLimits.defaults();
        private long startupTimeoutNanos = TimeUnit.SECONDS.toNanos(10);
        private long firstMessageTimeoutNanos = TimeUnit.SECONDS.toNanos(30);
        private long closeTimeoutNanos = TimeUnit.SECONDS.toNanos(5);
        private long leastBytesPerSecond = 16 << 10;

        private Builder() {}

        public Builder mpa(MpaChoices choices) {
            mpa = choices;
            return this;
        }

        public Builder mulpduBytes(int bytes) {
            mulpduBytes = bytes;
            return this;
        }

        public Builder batchBytes(int bytes) {
            batchBytes = bytes;
            return this;
        }

        public Builder limits(QueuePairLimits chosen) {
            limits = chosen;
            return this;
        }

        /** Both, in nanoseconds: {@link #startupTimeoutNanos} and {@link #closeTimeoutNanos}. */
        public Builder timeoutsNanos(long startup, long close) {
            startupTimeoutNanos = startup;
            closeTimeoutNanos = close;
            return this;
        }

        public Builder firstMessageTimeoutNanos(long nanos) {
            firstMessageTimeoutNanos = nanos;
            return this;
        }

        public Builder leastBytesPerSecond(long bytes) {
            leastBytesPerSecond = bytes;
            return this;
        }

        /**
         * What was chosen.
         *
         * @throws IllegalArgumentException if a number is out of its range
         */
        public QueuePairConfig build() {
            return new QueuePairConfig(
                    mpa,
                    mulpduBytes,
                    batchBytes,
                    limits,
                    startupTimeoutNanos,
                    firstMessageTimeoutNanos,
                    closeTimeoutNanos,
                    leastBytesPerSecond);
        }
    }
}
