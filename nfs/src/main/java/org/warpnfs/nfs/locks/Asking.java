package org.warpnfs.nfs.locks;

import java.util.concurrent.TimeUnit;

/**
 * When the owner of a request in line has asked for it, and when it is expected to ask again. Guarded by the lock of
 * the service.
 *
 * <p>A client that is told of its turn asks every now and then all the same, Linux every 30 s. A client of NFSv4.0 is
 * told nothing. It asks in pauses that may double each time, as those of Linux do, from 1 s to 30 s. So it is expected
 * after twice its last pause at the latest.
 */
final class Asking {
    private static final long TOLD_NANOS = TimeUnit.SECONDS.toNanos(40);
    private static final long SHORTEST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** For the way of the call, and for a client that is busy. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** For so long before it is expected, a range is kept for an owner that is not told of its turn. */
    static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private boolean told;
    private boolean asked;
    private long askedNanos;
    private long pauseNanos;

    /**
     * The owner asks.
     *
     * @param isTold true if it is told when its turn has come
     */
    void at(long nowNanos, boolean isTold) {
        pauseNanos = asked ? nowNanos - askedNanos : 0;
        asked = true;
        askedNanos = nowNanos;
        told = isTold;
    }

    /** For how long it may be expected to ask again. Who has not by then may have given up: zero or less. */
    long expectedForNanos(long nowNanos) {
        long latest = told ? TOLD_NANOS : Math.clamp(2 * pauseNanos, SHORTEST_NANOS, LONGEST_NANOS) + LATE_NANOS;
        return askedNanos + latest - nowNanos;
    }

    /** True while those behind it wait for it. */
    boolean keepsOthers(long nowNanos) {
        long left = expectedForNanos(nowNanos);
        return left > 0 && (told || left <= KEPT_NANOS);
    }
}
