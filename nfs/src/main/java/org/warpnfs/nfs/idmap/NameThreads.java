package org.warpnfs.nfs.idmap;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that call name services. They are platform threads, since the C library blocks them. There are few, and they
 * end when they are idle. When the queue is full a question is refused. They are daemon threads, so the process can end
 * without them.
 */
public final class NameThreads {
    private static final int THREADS = 4;
    private static final int QUESTIONS = 256;
    private static final int IDLE_SECONDS = 30;

    private NameThreads() {}

    /** {@value #THREADS} threads, with a queue of {@value #QUESTIONS} questions. */
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
