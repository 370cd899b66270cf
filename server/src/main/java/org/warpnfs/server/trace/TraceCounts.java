package org.warpnfs.server.trace;

import java.util.concurrent.atomic.LongAdder;

/** What became of the traces of this process. Safe for any thread. */
public final class TraceCounts {
    private static final TraceCounts OF_PROCESS = new TraceCounts();

    private final LongAdder sent = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder failed = new LongAdder();

    TraceCounts() {}

    /** Those of all exporters of this process. */
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

    /** Calls whose spans the receiver took. */
    public long sent() {
        return sent.sum();
    }

    /** Calls that were not told of, since the queue was full. */
    public long dropped() {
        return dropped.sum();
    }

    /** Calls whose spans the receiver did not take. */
    public long failed() {
        return failed.sum();
    }
}
