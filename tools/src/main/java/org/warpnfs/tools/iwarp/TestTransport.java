package org.warpnfs.tools.iwarp;

import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.qp.QueuePairLimits;
import org.warpnfs.iwarp.qp.RnicLimits;

/** The transport under a test. */
final class TestTransport {
    private TestTransport() {}

    /** What to say where messages of a size find no memory. */
    static String noMemory(int sizeBytes, OutOfMemoryError e) {
        return "no memory for messages of " + sizeBytes + " bytes: " + e.getMessage();
    }

    /** One whose connections are spread over all processors. */
    static IwarpTransport open(MpaChoices mpa) {
        return open(mpa, 0);
    }

    /** One that hears of requests to connect in the order in which they arrived, since a single thread hears of all. */
    static IwarpTransport openInOrder(MpaChoices mpa) {
        return open(mpa, 1);
    }

    /**
     * Does not count the bytes of receives: as all receives of a test share one buffer, their sum says nothing of the
     * memory that they take.
     */
    private static IwarpTransport open(MpaChoices mpa, int threads) {
        RnicLimits all = RnicLimits.defaults();
        return new IwarpTransport(IwarpConfig.builder()
                .eventLoopThreads(threads)
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
