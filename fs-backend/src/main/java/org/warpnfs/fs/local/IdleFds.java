package org.warpnfs.fs.local;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors of a {@link FdCache} that nobody has open, in the order of their last use. Those without unsynced
 * writes are closed first. Guarded by the cache's lock.
 */
final class IdleFds {
    /** Without unsynced writes. Nobody writes to an idle file, so a descriptor need not move to the other map. */
    private final LinkedHashMap<CachedFd.Key, CachedFd> clean = new LinkedHashMap<>();

    private final LinkedHashMap<CachedFd.Key, CachedFd> dirty = new LinkedHashMap<>();

    int size() {
        return clean.size() + dirty.size();
    }

    /** Adds one that was used last of all. */
    void add(CachedFd fd) {
        (fd.isDirty() ? dirty : clean).put(fd.key(), fd);
    }

    /** Puts back what {@link #evict} has returned. */
    void putFirst(CachedFd unsynced) {
        dirty.putFirst(unsynced.key(), unsynced);
    }

    /** Removes one; false if it is not here. */
    boolean remove(CachedFd fd) {
        return clean.remove(fd.key(), fd) || dirty.remove(fd.key(), fd);
    }

    /** All that are here, those without unsynced writes first. */
    List<CachedFd> all() {
        List<CachedFd> all = new ArrayList<>(size());
        all.addAll(clean.values());
        all.addAll(dirty.values());
        return all;
    }

    void clear() {
        clean.clear();
        dirty.clear();
    }

    /**
     * Removes descriptors until {@code maxLeft} are left, clean ones first, and adds them to {@code toClose}, which
     * gets {@code maxEvicted} elements at most.
     *
     * @return if only dirty ones are left to remove, one of them, which is removed and has to be synced first
     */
    @Nullable
    CachedFd evict(int maxLeft, long maxEvicted, List<CachedFd> toClose) {
        Iterator<CachedFd> oldest = clean.values().iterator();
        while (size() > maxLeft && toClose.size() < maxEvicted) {
            if (!oldest.hasNext()) {
                return dirty.pollFirstEntry().getValue();
            }
            toClose.add(oldest.next());
            oldest.remove();
        }
        return null;
    }
}
