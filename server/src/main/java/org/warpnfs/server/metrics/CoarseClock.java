package org.warpnfs.server.metrics;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.warpnfs.schedule.Repeated;

/**
 * A clock that advances in steps and costs a nanosecond to read, for times that matter only if they are long. A
 * separate thread advances it; a step may be late if that thread gets no processor. Safe for any thread.
 */
public final class CoarseClock implements AutoCloseable {
    /** A clock that never advances. */
    static final CoarseClock STILL = new CoarseClock(Duration.ZERO, null);

    private static final Duration LONGEST_STEP = Duration.ofMillis(500);
    private static final Duration SHORTEST_STEP = Duration.ofMillis(10);
    private static final int STEPS_IN_LIMIT = 20;

    private final long stepNanos;
    private final @Nullable ScheduledExecutorService mover;
    private volatile long steps;

    private CoarseClock(Duration step, @Nullable ScheduledExecutorService mover) {
        this.stepNanos = step.toNanos();
        this.mover = mover;
    }

    /**
     * Returns a clock whose steps are short compared with {@code limit}: a twentieth of it, at least 10 ms and at most
     * half a second.
     */
    public static CoarseClock beside(Duration limit) {
        Duration step = limit.dividedBy(STEPS_IN_LIMIT);
        if (step.compareTo(LONGEST_STEP) > 0) {
            step = LONGEST_STEP;
        } else if (step.compareTo(SHORTEST_STEP) < 0) {
            step = SHORTEST_STEP;
        }
        ScheduledExecutorService mover = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("coarse-clock").factory());
        CoarseClock clock = new CoarseClock(step, mover);
        long began = System.nanoTime();
        var _ = Repeated.inPeriods(mover, step, () -> clock.steps = (System.nanoTime() - began) / clock.stepNanos);
        return clock;
    }

    /** Returns the number of steps since the clock was created. */
    public long steps() {
        return steps;
    }

    long stepNanos() {
        return stepNanos;
    }

    /** Stops the clock. */
    @Override
    public void close() {
        if (mover != null) {
            mover.shutdownNow();
        }
    }
}
