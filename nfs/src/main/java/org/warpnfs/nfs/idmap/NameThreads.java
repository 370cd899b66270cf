package org.warpnfs.nfs.idmap;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads on which name services are asked: platform threads, since the C library blocks them. A few, which end when
 * there is nothing to ask; a question too many is refused. They hold no process up at its end.
 */
public final class NameThreads {
    private static final int THREADS = 4;
    private static final int QUESTIONS = 256;
    private static final int IDLE_SECONDS = 30;

    private NameThreads() {}

    /** {@value #THREADS} threads, for which {@value #QUESTIONS} questions may wait. */
    public static Executor named(String name) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUESTIONS), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }
}
