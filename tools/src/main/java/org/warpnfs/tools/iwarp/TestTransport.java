package org.warpnfs.tools.iwarp;

import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.qp.QueuePairLimits;
import org.warpnfs.iwarp.qp.RnicLimits;
import org.warpnfs.limits.FpduSize;

/** Creates the transport of a test. */
final class TestTransport {
    private TestTransport() {}

    /** Returns the message for a failed allocation. */
    static String noMemory(int sizeBytes, OutOfMemoryError e) {
        return "no memory for messages of " + sizeBytes + " bytes: " + e.getMessage();
    }

    /** Returns a transport whose connections are spread over all processors. */
    static IwarpTransport open(MpaChoices mpa, FpduSize fpdus) {
        return open(mpa, fpdus, 0);
    }

    /**
     * Returns a transport that reports connection requests in the order of their arrival, since it has a single thread.
     */
    static IwarpTransport openInOrder(MpaChoices mpa, FpduSize fpdus) {
        return open(mpa, fpdus, 1);
    }

    /**
     * Sets no limit on the bytes of receives: all receives of a test share one buffer, so their sum is not their
     * memory.
     */
    private static IwarpTransport open(MpaChoices mpa, FpduSize fpdus, int threads) {
        RnicLimits all = RnicLimits.defaults();
        return new IwarpTransport(IwarpConfig.builder()
                .eventLoopThreads(threads)
                .fpduSize(_ -> fpdus)
                .queuePair(QueuePairConfig.builder()
                        .mpa(mpa)
                        .limits(QueuePairLimits.builder()
                                .receiveBytes(Long.MAX_VALUE)
                                .build())
                        .build())
                .limits(new RnicLimits(
                        all.maxRegisteredBytes(), all.maxReceives(), Long.MAX_VALUE, all.maxInboundReads()))
                .build());
    }
}
