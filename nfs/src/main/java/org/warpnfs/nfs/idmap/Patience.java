package org.warpnfs.nfs.idmap;

import java.time.Duration;

/**
 * The time that one call may still wait for name services. All queries of the call share it, since a listing has
 * hundreds of owners. For one thread.
 */
final class Patience {
    private long leftNanos;

    Patience(Duration whole) {
        leftNanos = whole.toNanos();
    }

    Duration left() {
        return Duration.ofNanos(leftNanos);
    }

    void spend(long nanos) {
        leftNanos = Math.max(0, leftNanos - nanos);
    }
}
