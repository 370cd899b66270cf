package org.warpnfs.nfs.locks;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;

/** What the service has others run: notices of waiters, work at backends, and what has to come after a time. */
final class LaterWork {
    private final Executor notices;
    private final BackendLocking backends;
    private final Later later;

    /** Runs tasks later. */
    @FunctionalInterface
    interface Later {
        void after(long millis, Runnable task);
    }

    LaterWork(Executor notices, BackendLocking backends, Later later) {
        this.notices = notices;
        this.backends = backends;
        this.later = later;
    }

    /** Has a waiter told. */
    void tell(Runnable notice) {
        notices.execute(notice);
    }

    /** Has a task run after a time. It must not wait for anything. */
    void after(long millis, Runnable task) {
        later.after(millis, task);
    }

    /** Has a task run that may wait for the backend. */
    void at(@Nullable BackendLocks locks, Runnable task) {
        FileSystem backend = locks == null ? null : locks.backend();
        if (backend == null) {
            // None is served any more, so there is nothing to wait for.
            notices.execute(task);
        } else {
            backends.execute(backend, task);
        }
    }

    /** The same after a time. */
    void at(@Nullable BackendLocks locks, long millis, Runnable task) {
        later.after(millis, () -> at(locks, task));
    }
}
