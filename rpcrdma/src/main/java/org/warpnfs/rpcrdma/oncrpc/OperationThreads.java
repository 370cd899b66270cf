package org.warpnfs.rpcrdma.oncrpc;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A fixed number of platform threads that run programs: POSIX identity belongs to a thread, and calls into the C library would
 * pin a virtual one.
 *
 * <p>What waits for a thread is bounded by the credits and limits of the transports. Safe for any thread.
 */
public final class OperationThreads implements Executor, AutoCloseable {
    private final ExecutorService threads;

    /** @param count at least 1 */
    public OperationThreads(int count) {
        AtomicInteger number = new AtomicInteger();
        ThreadFactory factory = task -> new Thread(task, "operation-" + number.incrementAndGet());
        threads = Executors.newFixedThreadPool(count, factory);
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /**
     * Takes no more tasks and waits for those that run.
     *
     * @return false if some still run after {@code limit}
     */
    public boolean drain(Duration limit) {
        threads.shutdown();
        try {
            return threads.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Takes no more tasks, and interrupts those that run. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
