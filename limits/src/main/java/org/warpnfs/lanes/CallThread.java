package org.warpnfs.lanes;

import org.jspecify.annotations.Nullable;

/** A platform thread of a lane. */
public final class CallThread extends Thread implements RunsCalls {
    private final Current current = new Current();

    /** The place of the task in its lane. Accessed only by the thread itself. */
    SharedWait.@Nullable Place place;

    public CallThread(Runnable task, String name) {
        super(task, name);
    }

    @Override
    public Current current() {
        return current;
    }
}
