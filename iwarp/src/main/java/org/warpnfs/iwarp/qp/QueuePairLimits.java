package org.warpnfs.iwarp.qp;

/**
 * The resources that one queue pair may take. All queue pairs together have limits too ({@link RnicLimits}).
 *
 * @param sendQueueDepth work requests posted and not completed
 * @param receiveQueueDepth receives posted and not completed
 * @param receiveBytes memory of those receives
 * @param regions regions registered at one time
 * @param registeredBytes memory of those regions
 * @param inboundReads RDMA Reads held for the peer; bounds the IRD that the upper layer offers
 * @param outstandingReads RDMA Reads of ours; bounds the ORD
 */
public record QueuePairLimits(
        int sendQueueDepth,
        int receiveQueueDepth,
        long receiveBytes,
        int regions,
        long registeredBytes,
        int inboundReads,
        int outstandingReads) {
    public QueuePairLimits {
        if (sendQueueDepth < 1 || receiveQueueDepth < 1 || receiveBytes < 0) {
            throw new IllegalArgumentException("a queue pair needs room: sends " + sendQueueDepth + ", receives "
                    + receiveQueueDepth + " of " + receiveBytes + " bytes");
        }
        if (regions < 0 || registeredBytes < 0 || inboundReads < 0 || outstandingReads < 0) {
            throw new IllegalArgumentException("limits are not negative: regions " + regions + " of " + registeredBytes
                    + " bytes, reads " + inboundReads + " in and " + outstandingReads + " out");
        }
    }

    /**
     * The defaults: 4096 of everything that is counted, 1 GiB of receives, 8 GiB registered, 1024 Reads in each
     * direction.
     */
    public static QueuePairLimits defaults() {
        return builder().build();
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds limits. Each setter is named after the limit that it sets. */
    public static final class Builder {
        private int sendQueueDepth = 4096;
        private int receiveQueueDepth = 4096;
        private long receiveBytes = 1L << 30;
        private int regions = 4096;
        private long registeredBytes = 8L << 30;
        private int inboundReads = 1024;
        private int outstandingReads = 1024;

        private Builder() {}

        public Builder sendQueueDepth(int depth) {
            sendQueueDepth = depth;
            return this;
        }

        public Builder receiveQueueDepth(int depth) {
            receiveQueueDepth = depth;
            return this;
        }

        public Builder receiveBytes(long bytes) {
            receiveBytes = bytes;
            return this;
        }

        public Builder regions(int count) {
            regions = count;
            return this;
        }

        public Builder registeredBytes(long bytes) {
            registeredBytes = bytes;
            return this;
        }

        public Builder inboundReads(int count) {
            inboundReads = count;
            return this;
        }

        public Builder outstandingReads(int count) {
            outstandingReads = count;
            return this;
        }

        /**
         * The limits.
         *
         * @throws IllegalArgumentException if a limit is negative, or leaves no room for a single request
         */
        public QueuePairLimits build() {
            return new QueuePairLimits(
                    sendQueueDepth,
                    receiveQueueDepth,
                    receiveBytes,
                    regions,
                    registeredBytes,
                    inboundReads,
                    outstandingReads);
        }
    }
}
