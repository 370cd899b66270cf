package org.warpnfs.server.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Measures the lag of event loops: how long a call that arrives now would wait.
 *
 * <p>Each {@link #look()} submits a task to each loop, except to loops where the last one is still waiting. Safe for
 * any thread; {@link #look()} is called by one thread.
 */
final class LoopLag {
    private static final long NONE_WAITS = Long.MIN_VALUE;

    private final List<Loop> loops = new ArrayList<>();
    private final LongSupplier clockNanos;

    private static final class Loop {
        final Executor executor;
        /** When the waiting task was submitted. */
        final AtomicLong waitsSince = new AtomicLong(NONE_WAITS);

        volatile long lastNanos;

        Loop(Executor executor) {
            this.executor = executor;
        }
    }

    LoopLag(List<Executor> executors, LongSupplier clockNanos) {
        executors.forEach(executor -> loops.add(new Loop(executor)));
        this.clockNanos = clockNanos;
    }

    /** Submits a task to each loop. */
    void look() {
        for (Loop loop : loops) {
            long now = clockNanos.getAsLong();
            if (loop.waitsSince.compareAndSet(NONE_WAITS, now)) {
                submit(loop, now);
            }
        }
    }

    private void submit(Loop loop, long now) {
        boolean submitted = false;
        try {
            loop.executor.execute(() -> {
                loop.lastNanos = clockNanos.getAsLong() - now;
                loop.waitsSince.set(NONE_WAITS);
            });
            submitted = true;
        } catch (RejectedExecutionException e) {
            // The server is stopping: the loop has ended.
            return;
        } finally {
            if (!submitted) {
                // Nothing waits in the loop.
                loop.waitsSince.set(NONE_WAITS);
            }
        }
    }

    /** Returns the longest lag of all loops, of the last task or of one that is still waiting. */
    long worstNanos() {
        long worst = 0;
        for (Loop loop : loops) {
            long since = loop.waitsSince.get();
            long waiting = since == NONE_WAITS ? 0 : clockNanos.getAsLong() - since;
            worst = Math.max(worst, Math.max(waiting, loop.lastNanos));
        }
        return worst;
    }
}
