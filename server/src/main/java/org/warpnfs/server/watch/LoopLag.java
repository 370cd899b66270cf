package org.warpnfs.server.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How long event loops take to come round: what a call waits for that arrives now.
 *
 * <p>Each {@link #look()} leaves a task in each loop, and none where the last one still waits. Safe for any thread;
 * looks come from one.
 */
final class LoopLag {
    private static final long NONE_WAITS = Long.MIN_VALUE;

    private final List<Loop> loops = new ArrayList<>();
    private final LongSupplier clockNanos;

    private static final class Loop {
        final Executor executor;
        /** When the task that waits was left there. */
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

    /** Leaves a task in each loop. */
    void look() {
        for (Loop loop : loops) {
            long now = clockNanos.getAsLong();
            if (loop.waitsSince.compareAndSet(NONE_WAITS, now)) {
                try {
                    loop.executor.execute(() -> {
                        loop.lastNanos = clockNanos.getAsLong() - now;
                        loop.waitsSince.set(NONE_WAITS);
                    });
                } catch (RejectedExecutionException e) {
                    // The server stops: a loop that has ended has nobody waiting.
                    loop.waitsSince.set(NONE_WAITS);
                }
            }
        }
    }

    /** The longest of all loops: of the last round, or of one that is not over. */
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
