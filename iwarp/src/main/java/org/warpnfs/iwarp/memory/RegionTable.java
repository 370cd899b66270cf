package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.rdmap.RdmapRegions;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;

/**
 * The regions of one queue pair, by STag.
 *
 * <h2>Operation</h2>
 *
 * An STag is drawn until it is neither in use nor was lately: a peer that holds on to an old one must not find it alive again.
 *
 * <h2>Buffers</h2>
 *
 * Refers to registered memory until its region is invalidated.
 *
 * <h2>Errors</h2>
 *
 * Registering beyond the limit throws {@link IllegalStateException}. Owner thread only.
 */
public final class RegionTable implements RdmapRegions {
    /** Retired STags that are not given out again yet. */
    private static final int QUARANTINE = 1024;

    private final StagSource stags;
    private final int maxRegions;
    private final Map<Long, Region> regions = new HashMap<>();
    private final Queue<Long> retired = new ArrayDeque<>();
    private final Set<Long> retiredSet = new HashSet<>();

    public RegionTable(StagSource stags, int maxRegions) {
        this.stags = stags;
        this.maxRegions = maxRegions;
    }

    /** Registers memory from position to limit. */
    public Region register(ByteBuffer memory, Set<AccessRight> rights) {
        if (regions.size() >= maxRegions) {
            throw new IllegalStateException("limit of " + maxRegions + " memory regions reached");
        }
        if (memory.isReadOnly()
                && (rights.contains(AccessRight.REMOTE_WRITE) || rights.contains(AccessRight.READ_SINK))) {
            throw new IllegalArgumentException("read-only memory cannot be written by a peer");
        }
        long stag = stags.next();
        while (regions.containsKey(stag) || retiredSet.contains(stag)) {
            stag = stags.next();
        }
        Region region = new Region(this, stag, memory, rights);
        regions.put(stag, region);
        return region;
    }

    /** A region that was never valid: for an upper layer that has not heard yet that its connection has ended. */
    public Region registerDead(ByteBuffer memory, Set<AccessRight> rights) {
        Region region = new Region(this, stags.next(), memory, rights);
        region.revoke();
        return region;
    }

    @Override
    public @Nullable Region find(long stag) {
        return regions.get(stag);
    }

    /** Whether a region was registered here and is still valid. */
    public boolean holds(MemoryRegion region) {
        return regions.get(region.stag()) == region;
    }

    /** Invalidates every region. */
    public void invalidateAll() {
        for (Region region : new ArrayList<>(regions.values())) {
            region.invalidate();
        }
    }

    void remove(Region region) {
        regions.remove(region.stag());
        retired.add(region.stag());
        retiredSet.add(region.stag());
        if (retired.size() > QUARANTINE) {
            retiredSet.remove(retired.remove());
        }
    }
}
