package org.warpnfs.fs.local;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts who uses something right now, so that it is not taken apart under them: after {@link #close} nobody gets in,
 * and whoever is last to leave is told.
 */
final class UseCount {
    private static final long CLOSED = Long.MIN_VALUE;

    private final AtomicLong users = new AtomicLong();

    /** False once closed. */
    boolean enter() {
        long before = users.get();
        while (before >= 0) {
            long witness = users.compareAndExchange(before, before + 1);
            if (witness == before) {
                return true;
            }
            before = witness;
        }
        return false;
    }

    /** True for the last one after {@link #close}. */
    boolean leave() {
        return users.decrementAndGet() == CLOSED;
    }

    /** True if nobody is in, so that nobody will be the last to leave; false also if it was closed before. */
    boolean close() {
        return users.getAndUpdate(count -> count | CLOSED) == 0;
    }
}
