package org.warpnfs.lanes;

import org.jspecify.annotations.Nullable;

/** A platform thread that runs calls and stores the current one: see {@link CallOnThread}. */
public final class CallThread extends Thread {
    /** Accessed only by the thread itself. */
    CallOnThread.@Nullable Described call;

    /** The time that backends have used of the thread. Accessed only by the thread itself. */
    long spentNanos;

    public CallThread(Runnable task, String name) {
        super(task, name);
    }
}
