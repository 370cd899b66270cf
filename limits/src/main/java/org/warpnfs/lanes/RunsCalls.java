package org.warpnfs.lanes;

import org.jspecify.annotations.Nullable;

/** A thread that runs calls and knows the current one: see {@link CallOnThread}. */
public interface RunsCalls {
    /** The same object for as long as the thread lives. Used by the thread itself only. */
    Current current();

    /** The current call of a thread. */
    final class Current {
        CallOnThread.@Nullable Described call;

        /** The time that backends have used of the thread. */
        long spentNanos;
    }
}
