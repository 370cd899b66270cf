package org.warpnfs.nfs.locks;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The locks on one file, and who waits for some. Guarded by the lock of the service; an instance equals only itself.
 */
final class FileLocks {
    private final ByteRangeLocks<Locker> held = new ByteRangeLocks<>(Locker::isGone);
    /** In the order of their coming. */
    private final Set<Waiting> waiting = new LinkedHashSet<>(2);

    ByteRangeLocks<Locker> held() {
        return held;
    }

    Set<Waiting> waiting() {
        return waiting;
    }

    boolean holds(Locker owner) {
        return held.holds(owner);
    }

    @Nullable
    HeldLock conflict(Locker owner, boolean exclusive, ByteRange range) throws LocksBusyException {
        ByteRangeLocks.Held<Locker> found = held.conflict(owner, exclusive, range);
        return found == null ? null : HeldLock.of(found);
    }

    /** True if no held lock conflicts. If too many dead ones are in the way, the next release looks again. */
    boolean isFree(Waiting request) {
        try {
            return held.conflict(request.owner(), request.exclusive(), request.range()) == null;
        } catch (LocksBusyException e) {
            return false;
        }
    }

    /** True if a request that came earlier waits for a conflicting range. */
    boolean isBehindAnother(Waiting request) {
        for (Waiting earlier : waiting) {
            if (earlier.equals(request)) {
                return false;
            }
            if (earlier.conflictsWith(request)) {
                return true;
            }
        }
        return false;
    }
}
