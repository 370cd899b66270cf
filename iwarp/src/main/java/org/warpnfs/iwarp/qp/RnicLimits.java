package org.warpnfs.iwarp.qp;

/**
 * What all queue pairs of an {@link LocalRnic} together may take. Each also has limits of its own
 * ({@link QueuePairConfig}).
 *
 * @param maxRegisteredBytes memory registered at one time, on streams and in protection domains
 * @param maxReceives receives posted at one time, to queue pairs and shared queues
 * @param maxReceiveBytes memory of those receives
 * @param maxInboundReads RDMA Reads held for peers at one time: the sum of the IRDs that were agreed on
 */
public record RnicLimits(long maxRegisteredBytes, int maxReceives, long maxReceiveBytes, int maxInboundReads) {
    public RnicLimits {
        if (maxRegisteredBytes < 0 || maxReceives < 1 || maxReceiveBytes < 1 || maxInboundReads < 0) {
            throw new IllegalArgumentException("limits are not negative, and a receive has room: " + maxRegisteredBytes
                    + ", " + maxReceives + ", " + maxReceiveBytes + ", " + maxInboundReads);
        }
    }

    /**
     * 64 GiB registered, a million receives of 8 GiB, 65536 inbound Reads: beyond what a host of our kind should see.
     */
    public static RnicLimits defaults() {
        return new RnicLimits(64L << 30, 1 << 20, 8L << 30, 1 << 16);
    }
}
