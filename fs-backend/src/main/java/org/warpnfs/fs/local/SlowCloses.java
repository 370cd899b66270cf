package org.warpnfs.fs.local;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that close descriptors when that may wait for a disk, so that their users need not.
 *
 * <p>They are platform threads: calls of libc hold the carriers of virtual threads, of which there is one for each
 * processor. A disk that does not answer would then stop every virtual thread of the process, such as those that answer
 * whether it is well. What waits here holds descriptors, so the budgets of descriptors bound it. Safe for many threads.
 */
final class SlowCloses {
    private static final int THREADS = 2;
    private static final int IDLE_SECONDS = 10;
    private static final Executor CLOSERS = closers();

    private SlowCloses() {}

    /** Runs a close on one of these threads; on this one if the system has no more threads. */
    static void later(Runnable close) {
        try {
            CLOSERS.execute(close);
        } catch (OutOfMemoryError e) {
            close.run();
        }
    }

    private static Executor closers() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("slow-close-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }
}
