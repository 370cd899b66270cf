package org.warpnfs.fs.local;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One pass over the idle descriptors of a {@link FdCache}, which closes those that have been idle for long enough or
 * whose file was removed on the host. It takes one at a time, and only for as long as it needs: a descriptor that it
 * has taken counts as used, so it is not closed for somebody who needs that. For one thread.
 */
final class IdleSweep {
    private final FdCache files;
    private final long nowNanos;

    /** @param nowNanos time of the cache's clock */
    IdleSweep(FdCache files, long nowNanos) {
        this.files = files;
        this.nowNanos = nowNanos;
    }

    /** @param maySync false to begin no further sync, since the tree is being closed */
    void run(BooleanSupplier maySync) {
        List<CachedFd> dirty = new ArrayList<>();
        for (CachedFd entry : files.idleNow()) {
            if (files.takeIdle(entry)) {
                look(entry, dirty);
            }
        }
        // Last and one by one, since a disk may let a sync wait for long.
        for (CachedFd entry : dirty) {
            if (maySync.getAsBoolean() && files.takeIdle(entry)) {
                syncIfOverdue(entry);
            }
        }
    }

    private void look(CachedFd entry, List<CachedFd> dirty) {
        if (isOverdue(entry)) {
            if (!entry.isDirty()) {
                int _ = files.closeIfUnused(entry);
                return;
            }
            dirty.add(entry);
        }
        files.noteName(entry);
        files.putBackAll(entry);
    }

    /** It may have been used since it was found overdue. */
    private void syncIfOverdue(CachedFd entry) {
        if (!isOverdue(entry)) {
            files.putBackAll(entry);
            return;
        }
        FdCache.syncToClose(entry);
        int _ = files.closeIfUnused(entry);
    }

    private boolean isOverdue(CachedFd entry) {
        return entry.isIdleFor(TimeUnit.SECONDS.toNanos(FdCache.IDLE_SECONDS), nowNanos);
    }
}
