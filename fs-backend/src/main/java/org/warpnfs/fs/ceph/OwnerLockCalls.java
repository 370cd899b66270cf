package org.warpnfs.fs.ceph;

import java.util.Optional;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.LockCalls;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.fs.spi.OwnerLocks.Holder;

/**
 * What one owner of byte-range locks asks the cluster for. Ranges are as in {@link OwnerLocks}. All calls block and may
 * come from any thread.
 *
 * @param number what the cluster knows the owner by
 */
record OwnerLockCalls(long number) {
    /** After so many refusals without a holder there is one that does not show. */
    private static final int MAX_TRIES = 4;

    /** Returns the lock that is in the way, or empty if the range was locked. */
    Optional<Holder> tryLock(Opened now, boolean exclusive, long first, long last) throws CephException {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            try {
                LockCalls.lock(now.mount(), now.file(), number, exclusive, first, length(first, last));
                return Optional.empty();
            } catch (CephException e) {
                if (e.errno() != CephErrno.EAGAIN) {
                    throw e;
                }
            }
            Optional<Holder> holder = conflict(now, exclusive, first, last);
            if (holder.isPresent()) {
                return holder;
            }
            // It was released between the two calls.
        }
        return Optional.of(new Holder(exclusive, first, last, 0));
    }

    void unlock(Opened now, long first, long last) throws CephException {
        LockCalls.unlock(now.mount(), now.file(), number, first, length(first, last));
    }

    /** Returns the lock of another owner that would be in the way. */
    Optional<Holder> conflict(Opened now, boolean exclusive, long first, long last) throws CephException {
        LockCalls.Held other =
                LockCalls.conflict(now.mount(), now.file(), number, exclusive, first, length(first, last));
        return other == null
                ? Optional.empty()
                : Optional.of(new Holder(
                        other.exclusive(),
                        other.start(),
                        other.lengthBytes() == 0 ? OwnerLocks.TO_EOF : other.start() + (other.lengthBytes() - 1),
                        0));
    }

    /** Locks all these ranges. EAGAIN says that another owner has one of them. */
    void lockAll(Opened now, Iterable<HeldRanges.Range> ranges) throws CephException {
        for (HeldRanges.Range each : ranges) {
            LockCalls.lock(
                    now.mount(), now.file(), number, each.exclusive(), each.first(), length(each.first(), each.last()));
        }
    }

    private static long length(long first, long last) {
        return last == OwnerLocks.TO_EOF ? 0 : last - first + 1;
    }
}
