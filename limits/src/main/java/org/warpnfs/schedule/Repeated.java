package org.warpnfs.schedule;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Tasks that run again and again until they are cancelled or their threads are shut down.
 *
 * <h2>Errors</h2>
 *
 * A run that throws is a defect of the task. The handler of uncaught exceptions of the thread hears of it, which logs
 * it in the server, and the task runs again at its next time. A {@link ScheduledExecutorService} alone would never run
 * it again, and would tell nobody. Safe for any thread.
 */
public final class Repeated {
    private Repeated() {}

    /**
     * Runs a task for the first time after {@code pause}, and after each run again when {@code pause} has passed.
     *
     * @param pause more than zero
     */
    public static ScheduledFuture<?> afterPauses(ScheduledExecutorService threads, Duration pause, Runnable task) {
        return threads.scheduleWithFixedDelay(() -> run(task), pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Runs a task for the first time after {@code period}, and then once in each period. A run that takes longer delays
     * those behind it.
     *
     * @param period more than zero
     */
    public static ScheduledFuture<?> inPeriods(ScheduledExecutorService threads, Duration period, Runnable task) {
        return threads.scheduleAtFixedRate(() -> run(task), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            tell(e);
        }
    }

    private static void tell(Throwable defect) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, defect);
        } catch (RuntimeException | Error e) {
            // As in a thread that ends: nobody is left to hear of it. The next run may have memory again.
            return;
        }
    }
}
