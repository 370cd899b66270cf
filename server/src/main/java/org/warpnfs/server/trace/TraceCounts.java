package org.warpnfs.server.trace;

import java.util.concurrent.atomic.LongAdder;

/** Counters of the traces of this process. Safe for any thread. */
public final class TraceCounts {
    private static final TraceCounts OF_PROCESS = new TraceCounts();

    private final LongAdder sent = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder failed = new LongAdder();

    TraceCounts() {}

    /** Returns the counters of all exporters of this process. */
    public static TraceCounts ofProcess() {
        return OF_PROCESS;
    }

    void countSent(int calls) {
        sent.add(calls);
    }

    void countDropped() {
        dropped.increment();
    }

    void countFailed(int calls) {
        failed.add(calls);
    }

    /** Returns the number of calls whose spans the receiver accepted. */
    public long sent() {
        return sent.sum();
    }

    /** Returns the number of calls that were dropped because the queue was full. */
    public long dropped() {
        return dropped.sum();
    }

    /** Returns the number of calls whose spans the receiver did not accept. */
    public long failed() {
        return failed.sum();
    }
}
