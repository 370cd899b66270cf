package org.warpnfs.nfs.idmap;

import java.time.Duration;

/**
 * How long one call still waits for name services, all its questions together: a listing has hundreds of owners. For
 * one thread.
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
