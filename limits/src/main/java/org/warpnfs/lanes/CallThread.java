package org.warpnfs.lanes;

/** A platform thread of a lane. */
public final class CallThread extends Thread implements RunsCalls {
    private final Current current = new Current();

    public CallThread(Runnable task, String name) {
        super(task, name);
    }

    @Override
    public Current current() {
        return current;
    }
}
