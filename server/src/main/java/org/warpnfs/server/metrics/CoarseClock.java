package org.warpnfs.server.metrics;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A clock that costs a nanosecond to read, and goes on in steps: for what has to be measured only if it takes long. A
 * thread of its own moves it; a step may come late when that finds no processor. Safe for any thread.
 */
public final class CoarseClock implements AutoCloseable {
    /** One that stands still. */
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
     * One whose steps are short beside {@code limit}: a twentieth of it, but 10 ms at least and half a second at most.
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
        var _ = mover.scheduleAtFixedRate(
                () -> clock.steps = (System.nanoTime() - began) / clock.stepNanos,
                clock.stepNanos,
                clock.stepNanos,
                TimeUnit.NANOSECONDS);
        return clock;
    }

    /** Whole steps since it was made. */
    public long steps() {
        return steps;
    }

    long stepNanos() {
        return stepNanos;
    }

    /** It stands still from now on. */
    @Override
    public void close() {
        if (mover != null) {
            mover.shutdownNow();
        }
    }
}
