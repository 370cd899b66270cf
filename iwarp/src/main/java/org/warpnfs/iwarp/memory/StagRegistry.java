package org.warpnfs.iwarp.memory;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Every STag in use, of all streams and protection domains: so that none is given out twice, and that an STag of somebody
 * else's can be told from one of nobody's. Safe for any thread.
 */
public final class StagRegistry {
    private final ConcurrentMap<Long, Region> regions = new ConcurrentHashMap<>();

    /** Gives a region its STag, unless it is taken. */
    boolean claim(Region region) {
        return regions.putIfAbsent(region.stag(), region) == null;
    }

    void release(Region region) {
        regions.remove(region.stag(), region);
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
