package org.warpnfs.rpcrdma.oncrpc;

import java.util.concurrent.atomic.LongAdder;

/**
 * How many calls were answered, and how long they took from the thread that began them to their reply. Safe for any
 * thread; exact once nobody counts.
 */
public final class AnsweredCalls {
    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    AnsweredCalls() {}

    void answered(long tookNanos) {
        count.increment();
        nanos.add(tookNanos);
    }

    /** Since the start. */
    public long count() {
        return count.sum();
    }

    /** All their times together. */
    public long nanos() {
        return nanos.sum();
    }
}
