package org.warpnfs.iwarp.qp;

/**
 * The resources that all queue pairs of a {@link LocalRnic} together may take. Each has limits of its own too
 * ({@link QueuePairConfig}).
 *
 * @param maxRegisteredBytes memory registered at one time, on streams and in protection domains
 * @param maxReceives receives posted at one time, to queue pairs and shared queues
 * @param maxReceiveBytes memory of those receives
 * @param maxInboundReads RDMA Reads held for peers at one time: the sum of the IRDs agreed on
 */
public record RnicLimits(long maxRegisteredBytes, int maxReceives, long maxReceiveBytes, int maxInboundReads) {
    public RnicLimits {
        if (maxRegisteredBytes < 0 || maxReceives < 1 || maxReceiveBytes < 1 || maxInboundReads < 0) {
            throw new IllegalArgumentException("limits are not negative, and a receive has room: " + maxRegisteredBytes
                    + ", " + maxReceives + ", " + maxReceiveBytes + ", " + maxInboundReads);
        }
    }

    /**
     * The defaults: 64 GiB registered, a million receives of 8 GiB, 65536 inbound Reads. A host of the usual size
     * should not reach them.
     */
    public static RnicLimits defaults() {
        return new RnicLimits(64L << 30, 1 << 20, 8L << 30, 1 << 16);
    }
}
