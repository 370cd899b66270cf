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
        long left = free.get();
        while (true) {
            if (amount > left) {
                throw FsException.of(FsError.NO_SPACE);
            }
            long witness = free.compareAndExchange(left, left - amount);
            if (witness == left) {
                return;
            }
            left = witness;
        }
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
