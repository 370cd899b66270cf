package org.warpnfs.nfs.locks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A lock service whose notices run, whose turns end and whose time passes when a test says so. */
public final class SteppedLocks {
    private final List<Runnable> notices = new ArrayList<>();
    private final List<Runnable> turns = new ArrayList<>();
    private long nowNanos;
    private final LockService service;

    public SteppedLocks() {
        this(100);
    }

    /** @param mostWaiting limit of requests in line */
    SteppedLocks(int mostWaiting) {
        this.service = new LockService(
                mostWaiting, notices::add, BackendLocking.off(), (_, task) -> turns.add(task), () -> nowNanos);
    }

    public LockService service() {
        return service;
    }

    /** Lets time pass. No turn ends by that. */
    public void pass(Duration time) {
        nowNanos += time.toNanos();
    }

    /** Tells waiters what they have to be told, until nobody has to be told anything. */
    public void tell() {
        while (!notices.isEmpty()) {
            notices.removeFirst().run();
        }
    }

    /** Ends the turns of waiters who have not asked again since they were told, and looks at those behind them. */
    public void endTurns() {
        List<Runnable> now = List.copyOf(turns);
        turns.clear();
        now.forEach(Runnable::run);
    }
}
