package org.warpnfs.fs.local;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts how often local file systems brought changes to stable storage, and for how many operations. Safe for any
 * thread.
 */
public final class SyncCounts {
    private static final SyncCounts OF_PROCESS = new SyncCounts();

    private final LongAdder calls = new LongAdder();
    private final LongAdder served = new LongAdder();
    private final LongAdder failures = new LongAdder();

    SyncCounts() {}

    /** The counts of all local file systems of this process. */
    public static SyncCounts ofProcess() {
        return OF_PROCESS;
    }

    void ended(int waiters, boolean failed) {
        calls.increment();
        served.add(waiters);
        if (failed) {
            failures.increment();
        }
    }

    /** Number of syncs of a file, a directory, a journal or a whole file system. */
    public long calls() {
        return calls.sum();
    }

    /** Number of operations that waited for a sync. Divided by {@link #calls}, it says how many shared one. */
    public long served() {
        return served.sum();
    }

    /** Syncs that failed. */
    public long failures() {
        return failures.sum();
    }
}
