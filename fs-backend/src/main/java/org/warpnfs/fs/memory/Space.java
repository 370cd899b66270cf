package org.warpnfs.fs.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** A capacity, in bytes or in files, and what is left of it. Safe for many threads. */
final class Space {
    private final long capacity;
    private final AtomicLong free;

    Space(long capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity " + capacity);
        }
        this.capacity = capacity;
        this.free = new AtomicLong(capacity);
    }

    /** Takes {@code amount}, or throws NO_SPACE and takes nothing. */
    void take(long amount) throws FsException {
        if (!tryTake(amount)) {
            throw FsException.of(FsError.NO_SPACE);
        }
    }

    /** Takes {@code amount}, or returns false and takes nothing. */
    boolean tryTake(long amount) {
        long left = free.get();
        while (amount <= left) {
            long witness = free.compareAndExchange(left, left - amount);
            if (witness == left) {
                return true;
            }
            left = witness;
        }
        return false;
    }

    void giveBack(long amount) {
        free.addAndGet(amount);
    }

    long capacity() {
        return capacity;
    }

    long free() {
        return free.get();
    }
}
