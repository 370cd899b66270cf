package org.warpnfs.iwarp.memory;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Every STag in use, of all streams and protection domains. So no STag is given out twice, and an STag of another
 * stream can be told from one that does not exist. Safe for any thread.
 */
public final class StagRegistry {
    private final ConcurrentMap<Long, Region> regions = new ConcurrentHashMap<>();
    private final LongAdder registrations = new LongAdder();
    private final LongAdder invalidations = new LongAdder();

    /** Registers a region under its STag. Returns false if the STag is taken. */
    boolean claim(Region region) {
        boolean isNew = regions.putIfAbsent(region.stag(), region) == null;
        if (isNew) {
            registrations.increment();
        }
        return isNew;
    }

    void release(Region region) {
        if (regions.remove(region.stag(), region)) {
            invalidations.increment();
        }
    }

    /** The number of regions that ever became valid. */
    public long registrations() {
        return registrations.sum();
    }

    /**
     * The number of regions that were invalidated by their owner, by their peer's Send with Invalidate, or with their
     * stream.
     */
    public long invalidations() {
        return invalidations.sum();
    }

    @Nullable
    Region find(long stag) {
        return regions.get(stag);
    }

    /** The number of regions that are valid now. */
    public int size() {
        return regions.size();
    }
}
