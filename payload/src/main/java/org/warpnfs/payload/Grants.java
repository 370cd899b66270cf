package org.warpnfs.payload;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Runs the grants of waiting requests on the thread that gave memory back, without a lock held.
 *
 * <p>Grants that arise while a thread runs grants are queued behind them. So grants never nest, however long the queue
 * is. An exception of one grant does not stop the others. The first exception is thrown at the end, unless the caller
 * must not hear of it.
 */
final class Grants {
    private static final ThreadLocal<Deque<Runnable>> RUNNING = new ThreadLocal<>();

    private @Nullable Throwable first;

    private Grants() {}

    static void run(Collection<? extends Runnable> met) {
        if (met.isEmpty()) {
            return;
        }
        Deque<Runnable> already = RUNNING.get();
        if (already != null) {
            already.addAll(met);
            return;
        }
        Deque<Runnable> queue = new ArrayDeque<>(met);
        RUNNING.set(queue);
        Grants grants = new Grants();
        try {
            for (Runnable next = queue.poll(); next != null; next = queue.poll()) {
                grants.guard(next);
            }
        } finally {
            RUNNING.remove();
        }
        grants.throwFirst();
    }

    /**
     * Does the same for a caller that has something to do for itself, which a defect of others must not stop. The
     * exception is reported as one that this thread did not catch.
     */
    static void runForOthers(Collection<? extends Runnable> met) {
        try {
            run(met);
        } catch (RuntimeException | Error e) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }

    /** Also catches an Error, because the other requests would wait for ever. */
    private void guard(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            Throwable before = first;
            if (before == null) {
                first = e;
            } else {
                before.addSuppressed(e);
            }
        }
    }

    private void throwFirst() {
        switch (first) {
            case null -> {}
            case Error error -> throw error;
            case RuntimeException unchecked -> throw unchecked;
            default -> throw new AssertionError(first);
        }
    }
}
