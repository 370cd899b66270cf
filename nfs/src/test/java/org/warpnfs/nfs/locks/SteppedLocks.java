package org.warpnfs.nfs.locks;

import java.util.ArrayList;
import java.util.List;

/** A lock service whose notices run, and whose turns end, when a test says so. */
public final class SteppedLocks {
    private final List<Runnable> notices = new ArrayList<>();
    private final List<Runnable> turns = new ArrayList<>();
    private final LockService service =
            new LockService(100, notices::add, BackendLocking.off(), (_, task) -> turns.add(task), () -> 0);

    public LockService service() {
        return service;
    }

    /** Tells waiters what they have to be told, until nobody has to be told anything. */
    public void tell() {
        while (!notices.isEmpty()) {
            notices.removeFirst().run();
        }
    }

    /** Ends the turns of waiters who have not asked again since they were told. */
    public void endTurns() {
        while (!turns.isEmpty()) {
            turns.removeFirst().run();
        }
    }
}
