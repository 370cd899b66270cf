package org.warpnfs.nfs.locks;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;

/**
 * Runs what may wait for a backend and no call waits for. Each file system has {@value #AT_ONCE} threads at most, so
 * one that does not answer delays no other. Safe for any thread.
 */
final class BackendThreads {
    private static final Logger LOG = LoggerFactory.getLogger(BackendThreads.class);
    static final int AT_ONCE = 2;

    private final Executor threads;
    private final Map<FileSystem, Line> lines = new HashMap<>();

    private static final class Line {
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private int running;
    }

    /** @param threads must have a thread for each file system, {@value #AT_ONCE} times */
    BackendThreads(Executor threads) {
        this.threads = threads;
    }

    void execute(FileSystem backend, Runnable task) {
        synchronized (lines) {
            Line line = lines.computeIfAbsent(backend, _ -> new Line());
            line.waiting.add(task);
            if (line.running == AT_ONCE) {
                return;
            }
            line.running++;
        }
        boolean begun = false;
        try {
            threads.execute(() -> runAll(backend));
            begun = true;
        } finally {
            if (!begun) {
                ended(backend);
            }
        }
    }

    private void runAll(FileSystem backend) {
        for (Runnable next = next(backend); next != null; next = next(backend)) {
            try {
                next.run();
            } catch (RuntimeException | Error e) {
                // The line goes on: a thread that ended would count for ever.
                LOG.error("work on locks at a backend failed: a defect of this server", e);
            }
        }
    }

    private @Nullable Runnable next(FileSystem backend) {
        synchronized (lines) {
            Line line = lines.get(backend);
            Runnable next = line == null ? null : line.waiting.poll();
            if (next == null) {
                ended(backend);
            }
            return next;
        }
    }

    private void ended(FileSystem backend) {
        synchronized (lines) {
            lines.computeIfPresent(backend, (_, line) -> --line.running == 0 && line.waiting.isEmpty() ? null : line);
        }
    }
}
