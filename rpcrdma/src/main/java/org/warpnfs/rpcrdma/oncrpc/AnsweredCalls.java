package org.warpnfs.rpcrdma.oncrpc;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts answered calls and the time that they took, from their first thread to their reply. Safe for any thread. The
 * numbers are exact only while no call is being counted.
 */
public final class AnsweredCalls {
    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    AnsweredCalls() {}

    void answered(long tookNanos) {
        count.increment();
        nanos.add(tookNanos);
    }

    /** The number of calls since the start. */
    public long count() {
        return count.sum();
    }

    /** The sum of their times, in nanoseconds. */
    public long nanos() {
        return nanos.sum();
    }
}
