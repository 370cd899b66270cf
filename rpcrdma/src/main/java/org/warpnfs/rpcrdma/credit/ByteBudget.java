package org.warpnfs.rpcrdma.credit;

import java.util.concurrent.atomic.AtomicLong;

/** Memory that all connections together may hold for one purpose. Safe for any thread. */
public final class ByteBudget {
    private final AtomicLong leftBytes;

    /** @param bytes in all */
    public ByteBudget(long bytes) {
        leftBytes = new AtomicLong(bytes);
    }

    /** Takes all of {@code bytes} or nothing. */
    public boolean tryTake(long bytes) {
        while (true) {
            long available = leftBytes.get();
            if (bytes > available) {
                return false;
            }
            if (leftBytes.compareAndSet(available, available - bytes)) {
                return true;
            }
        }
    }

    /** Gives back what was taken. */
    public void give(long bytes) {
        leftBytes.addAndGet(bytes);
    }

    /** Bytes that nobody holds. */
    public long leftBytes() {
        return leftBytes.get();
    }
}
