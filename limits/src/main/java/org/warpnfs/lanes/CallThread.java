package org.warpnfs.lanes;

import org.jspecify.annotations.Nullable;

/** A platform thread that runs calls, and knows which it runs: see {@link CallOnThread}. */
public final class CallThread extends Thread {
    /** For the thread itself alone. */
    CallOnThread.@Nullable Described call;

    /** What backends took of its time, for the thread itself alone. */
    long spentNanos;

    public CallThread(Runnable task, String name) {
        super(task, name);
    }
}
