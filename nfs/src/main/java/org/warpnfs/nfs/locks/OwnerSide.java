package org.warpnfs.nfs.locks;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;

/** The locks of one owner on one file at its backend. Called by one thread at a time. */
final class OwnerSide {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerSide.class);

    private final FileSystem through;
    private final OwnerLocks locks;
    private final boolean writable;
    private boolean hasLocked;

    private OwnerSide(FileSystem through, OwnerLocks locks, boolean writable) {
        this.through = through;
        this.locks = locks;
        this.writable = writable;
    }

    /** A file that is locked by readers alone is not opened to write, which would keep it from being executed. */
    static OwnerSide open(LockedFile route, boolean exclusive) throws FsException {
        FileSystem backend = route.backend();
        if (backend == null) {
            throw FsException.of(FsError.NOT_SUPPORTED);
        }
        OpenAccess access = exclusive ? OpenAccess.READ_WRITE : OpenAccess.READ;
        return new OwnerSide(backend, backend.openLocks(route.handle(), access), exclusive);
    }

    boolean isWritable() {
        return writable;
    }

    boolean isThrough(@Nullable FileSystem fileSystem) {
        return through == fileSystem;
    }

    /** True if the backend has granted a lock here. */
    boolean hasLocked() {
        return hasLocked;
    }

    Optional<OwnerLocks.Holder> tryLock(boolean exclusive, ByteRange range) throws FsException {
        Optional<OwnerLocks.Holder> holder = locks.tryLock(exclusive, range.first(), lastOf(range));
        hasLocked |= holder.isEmpty();
        return holder;
    }

    Optional<OwnerLocks.Holder> test(boolean exclusive, ByteRange range) throws FsException {
        return locks.test(exclusive, range.first(), lastOf(range));
    }

    /** Takes the shared ones of these locks. Returns false if one cannot be had. */
    boolean takeShared(List<HeldLock> held) throws FsException {
        for (HeldLock one : held) {
            if (!one.exclusive()
                    && reaches(one.range())
                    && tryLock(false, one.range()).isPresent()) {
                return false;
            }
        }
        return true;
    }

    /** Unlocks the gaps between {@code held} in the range, and takes what is shared now and may have been exclusive. */
    void release(ByteRange range, List<HeldLock> held) throws FsException {
        long last = lastOf(range);
        long next = range.first();
        for (HeldLock one : held) {
            long first = one.range().first();
            if (first < 0) {
                break;
            }
            if (first > next) {
                locks.unlock(next, first - 1);
            }
            if (!one.exclusive()) {
                // It is in the way of nobody that the service has granted a lock.
                var _ = locks.tryLock(false, first, lastOf(one.range()));
            }
            if (lastOf(one.range()) >= last) {
                return;
            }
            next = lastOf(one.range()) + 1;
        }
        locks.unlock(next, last);
    }

    void close() {
        try {
            locks.close();
        } catch (RuntimeException | Error e) {
            LOG.error("a backend failed to release locks: a defect", e);
        }
    }

    /** True if a backend can have locks in the range: its offsets are signed. */
    static boolean reaches(ByteRange range) {
        return range.first() >= 0;
    }

    private static long lastOf(ByteRange range) {
        return range.last() < 0 ? OwnerLocks.TO_EOF : range.last();
    }
}
