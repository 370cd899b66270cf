package org.warpnfs.iwarp.memory;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Every STag in use, of all streams and protection domains: so that none is given out twice, and that an STag of
 * somebody else's can be told from one of nobody's. Safe for any thread.
 */
public final class StagRegistry {
    private final ConcurrentMap<Long, Region> regions = new ConcurrentHashMap<>();
    private final LongAdder registrations = new LongAdder();
    private final LongAdder invalidations = new LongAdder();

    /** Gives a region its STag, unless it is taken. */
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

    /** Regions that ever became valid. */
    public long registrations() {
        return registrations.sum();
    }

    /** Regions that ceased to be: by their owner, by their peer's Send with Invalidate, or with their stream. */
    public long invalidations() {
        return invalidations.sum();
    }

    @Nullable
    Region find(long stag) {
        return regions.get(stag);
    }

    /** Regions that are valid now. */
    public int size() {
        return regions.size();
    }
}
