package org.warpnfs.fs.local;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the current users of a resource, so that it is not released while in use. After {@link #close} there are no
 * new users, and the last one to leave learns that it is the last.
 */
final class UseCount {
    private static final long CLOSED = Long.MIN_VALUE;

    private final AtomicLong users = new AtomicLong();

    /** Adds a user, or returns false if closed. */
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

    /** Removes a user. Returns true if it was the last one after {@link #close}. */
    boolean leave() {
        return users.decrementAndGet() == CLOSED;
    }

    /**
     * Closes. Returns true if there is no user, so that no {@link #leave} will return true. A second close returns
     * false.
     */
    boolean close() {
        return users.getAndUpdate(count -> count | CLOSED) == 0;
    }
}
