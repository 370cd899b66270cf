package org.warpnfs.rpcrdma.tcp;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;

/**
 * Threads for the arithmetic of TLS handshakes, which takes milliseconds that an event loop does not have.
 *
 * <h2>Operation</h2>
 *
 * Clients take turns, so that one that connects again and again does not delay the others. A connection has one task at
 * a time, so that there are no more tasks than connections.
 *
 * <h2>Errors</h2>
 *
 * A task is refused when the threads have been closed. Safe for any thread.
 */
final class HandshakeThreads implements AutoCloseable {
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final ThreadPoolExecutor threads;
    private final int most;

    /** The tasks of each client that has some; the client at the head is next. Guarded by this. */
    private final Map<ClientAddress, Deque<Runnable>> waiting = new LinkedHashMap<>();

    /** Guarded by this. */
    private int busy;

    HandshakeThreads(int most) {
        this.most = most;
        this.threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE.toMillis(), TimeUnit.MILLISECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "warpnfs-tls");
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** The threads for the connections of one client. */
    Executor of(ClientAddress client) {
        return task -> execute(client, task);
    }

    private synchronized void execute(ClientAddress client, Runnable task) {
        if (threads.isShutdown()) {
            throw new RejectedExecutionException("the listener has been closed");
        }
        Deque<Runnable> tasks = waiting.computeIfAbsent(client, key -> new ArrayDeque<>());
        tasks.add(task);
        if (busy == most) {
            return;
        }
        boolean begun = false;
        try {
            beginThread();
            begun = true;
        } finally {
            if (!begun) {
                tasks.removeLast();
                if (tasks.isEmpty()) {
                    waiting.remove(client);
                }
            }
        }
    }

    /** Without memory for another thread, the place stays free for the next task. */
    private void beginThread() {
        busy++;
        boolean begun = false;
        try {
            threads.execute(this::work);
            begun = true;
        } finally {
            busy -= begun ? 0 : 1;
        }
    }

    private void work() {
        for (Runnable task = next(); task != null; task = next()) {
            boolean done = false;
            try {
                task.run();
                done = true;
            } finally {
                if (!done) {
                    // Its thread ends by the exception. The tasks that wait need another one.
                    replaceThread();
                }
            }
        }
    }

    private synchronized void replaceThread() {
        busy--;
        if (!threads.isShutdown()) {
            beginThread();
        }
    }

    private synchronized @Nullable Runnable next() {
        var clients = waiting.entrySet().iterator();
        if (!clients.hasNext()) {
            busy--;
            return null;
        }
        Map.Entry<ClientAddress, Deque<Runnable>> turn = clients.next();
        ClientAddress client = turn.getKey();
        Deque<Runnable> tasks = turn.getValue();
        clients.remove();
        Runnable task = tasks.poll();
        if (!tasks.isEmpty()) {
            // To the end of the line.
            waiting.put(client, tasks);
        }
        return task;
    }

    @Override
    public synchronized void close() {
        threads.shutdown();
        waiting.clear();
    }
}
