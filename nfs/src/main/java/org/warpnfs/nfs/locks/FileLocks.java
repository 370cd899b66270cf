package org.warpnfs.nfs.locks;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileIdentity;

/**
 * The locks on one file, and who waits for some. Guarded by the lock of the service; an instance equals only itself.
 */
final class FileLocks {
    private final FileIdentity identity;
    private final ByteRangeLocks<Locker> held = new ByteRangeLocks<>(Locker::isGone);
    /** In the order of their coming. */
    private final Set<Waiting> waiting = new LinkedHashSet<>(2);

    FileLocks(FileIdentity identity) {
        this.identity = identity;
    }

    FileIdentity identity() {
        return identity;
    }

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
        return before(request) != null;
    }

    /** The first request that came earlier and waits for a conflicting range; null if there is none. */
    @Nullable
    Waiting before(Waiting request) {
        for (Waiting earlier : waiting) {
            if (earlier.equals(request)) {
                return null;
            }
            if (earlier.conflictsWith(request) && !earlier.owner().isGone()) {
                return earlier;
            }
        }
        return null;
    }
}
