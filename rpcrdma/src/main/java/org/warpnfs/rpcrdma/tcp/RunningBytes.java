package org.warpnfs.rpcrdma.tcp;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of calls are in flight on all connections.
 *
 * <p>Only calls that were started count, and those come to an end by themselves; so whoever waits here is served in time. A call
 * larger than the whole budget runs alone. Safe for any thread.
 */
final class RunningBytes {
    private final long max;
    private final AtomicLong used = new AtomicLong();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    RunningBytes(long max) {
        this.max = max;
    }

    boolean tryTake(long bytes) {
        while (true) {
            long now = used.get();
            if (now > 0 && bytes > max - now) {
                return false;
            }
            if (used.compareAndSet(now, now + bytes)) {
                return true;
            }
        }
    }

    void give(long bytes) {
        used.addAndGet(-bytes);
        // Only those that wait now: one that waits again is served by the next.
        for (int n = waiting.size(); n > 0; n--) {
            Runnable task = waiting.poll();
            if (task == null) {
                return;
            }
            task.run();
        }
    }

    /** Runs {@code task} once after bytes were given back. Registering and trying once more closes the gap between. */
    void notifyOnGive(Runnable task) {
        waiting.add(task);
    }
}
