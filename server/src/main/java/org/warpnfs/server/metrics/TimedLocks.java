package org.warpnfs.server.metrics;

import java.util.Optional;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.server.metrics.BackendTimes.Call;

/** Measures the calls of one owner's byte-range locks. */
final class TimedLocks implements OwnerLocks {
    private final OwnerLocks locks;
    private final BackendTimes times;

    TimedLocks(OwnerLocks locks, BackendTimes times) {
        this.locks = locks;
        this.times = times;
    }

    @Override
    public Optional<Holder> tryLock(boolean exclusive, long first, long last) throws FsException {
        long began = times.begin(Call.LOCK);
        try {
            return locks.tryLock(exclusive, first, last);
        } finally {
            times.ended(Call.LOCK, began);
        }
    }

    @Override
    public void unlock(long first, long last) throws FsException {
        long began = times.begin(Call.LOCK);
        try {
            locks.unlock(first, last);
        } finally {
            times.ended(Call.LOCK, began);
        }
    }

    @Override
    public Optional<Holder> test(boolean exclusive, long first, long last) throws FsException {
        long began = times.begin(Call.LOCK);
        try {
            return locks.test(exclusive, first, last);
        } finally {
            times.ended(Call.LOCK, began);
        }
    }

    @Override
    public void close() {
        long began = times.begin(Call.CLOSE);
        try {
            locks.close();
        } finally {
            times.ended(Call.CLOSE, began);
        }
    }
}
