package org.warpnfs.iwarp.qp;

import java.util.concurrent.TimeUnit;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.Fpdu;
import org.warpnfs.iwarp.mpa.MpaChoices;

/**
 * The limits and choices of a queue pair.
 *
 * @param mpa what we ask for and what we support in the startup exchange
 * @param mulpduBytes the largest ULPDU that we make; large ones cost less, and kernel siw accepts any size. With
 *     markers it is reduced by the length of the markers, so that FPDUs do not get longer (RFC 5044, section 4.5)
 * @param batchBytes the most bytes of a write to the socket, but for an FPDU that is longer alone
 * @param limits the resources that the queue pair may take
 * @param startupTimeoutNanos from the TCP connection to the end of the startup frames, including a promised RTR of
 *     peer-to-peer mode
 * @param firstMessageTimeoutNanos as responder, the time from our reply to the initiator's first FPDU; in peer-to-peer
 *     mode, the time from its RTR to the next FPDU or to the first message of our own. An initiator connects because it
 *     has something to send
 * @param closeTimeoutNanos from the decision to end the stream to its end, if the peer does not respond; starts anew
 *     while the peer takes posted work at {@code leastBytesPerSecond}
 * @param leastBytesPerSecond the rate at which a peer must take posted work during an orderly close; a slower peer is
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
     * The default MULPDU. It leaves 65516 bytes of payload in a tagged segment and 65512 in an untagged one. Both are
     * multiples of four, so that only last segments need a pad.
     */
    public static final int DEFAULT_MULPDU_BYTES = 65_530;

    /**
     * The default of a write: half of a READ of 1 MiB with the headers of its FPDUs, which fit TCP segments; also eight
     * of the longest FPDUs, and the short end of such a READ.
     */
    private static final int DEFAULT_BATCH_BYTES = 528 << 10;

    /** The smallest MULPDU that RFC 5044, section 4.5 permits. It holds the longest Terminate. */
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
     * The defaults: no CRC unless the peer asks, large FPDUs, 10 s to connect, 30 s to the first message and 5 s to
     * close. The least rate during a close is 16 KiB a second, which a line of 128 kbit/s still carries.
     */
    public static QueuePairConfig defaults() {
        return new Builder().build();
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts with this configuration. */
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

    /** A copy with other choices for the startup exchange. */
    public QueuePairConfig withMpa(MpaChoices choices) {
        return toBuilder().mpa(choices).build();
    }

    /** A copy with another CRC policy. */
    public QueuePairConfig withCrcPolicy(CrcPolicy policy) {
        return withMpa(mpa.withCrcPolicy(policy));
    }

    /** A copy with another MULPDU. */
    public QueuePairConfig withMulpduBytes(int bytes) {
        return toBuilder().mulpduBytes(bytes).build();
    }

    /** A copy that asks for peer-to-peer startup or does not. */
    public QueuePairConfig withPeerToPeer(boolean choice) {
        return withMpa(mpa.withPeerToPeer(choice));
    }

    /** A copy with other timeouts. */
    public QueuePairConfig withTimeouts(long startupNanos, long closeNanos) {
        return toBuilder().timeoutsNanos(startupNanos, closeNanos).build();
    }

    /** Builds a configuration. Each setter is named after the value that it sets. */
    public static final class Builder {
        private MpaChoices mpa = MpaChoices.defaults();
        private int mulpduBytes = DEFAULT_MULPDU_BYTES;
        private int batchBytes = DEFAULT_BATCH_BYTES;
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

        /** Sets {@link #startupTimeoutNanos} and {@link #closeTimeoutNanos}, in nanoseconds. */
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
         * The configuration.
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
