package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.LimitReachedException;

/**
 * The regions that are valid on the same streams, and the limits on them.
 *
 * <h2>Operation</h2>
 *
 * STags are drawn until one is neither in use anywhere nor was recently used here. So a peer that keeps an old STag
 * does not find it valid again.
 *
 * <h2>Buffers</h2>
 *
 * Refers to registered memory until its region is invalidated.
 *
 * <h2>Errors</h2>
 *
 * {@link LimitReachedException} beyond the limits. For one thread at a time.
 */
final class RegionScope {
    /** The number of retired STags that are not reused yet. */
    private static final int QUARANTINE = 1024;

    private final StagRegistry registry;
    private final StagSource stags;
    private final int maxRegions;
    private final Quota bytes;
    private final Queue<Long> retired = new ArrayDeque<>();
    private final Set<Long> retiredSet = new HashSet<>();
    private @Nullable Region newest;
    private int count;

    RegionScope(StagRegistry registry, StagSource stags, int maxRegions, Quota bytes) {
        this.registry = registry;
        this.stags = stags;
        this.maxRegions = maxRegions;
        this.bytes = bytes;
    }

    /** Creates a region of one kind. */
    @FunctionalInterface
    interface Kind {
        Region make(long stag, ByteBuffer memory, Set<AccessRight> rights);
    }

    Region register(ByteBuffer memory, Set<AccessRight> rights, Kind kind) {
        boolean atomic = rights.contains(AccessRight.REMOTE_ATOMIC);
        boolean written = rights.contains(AccessRight.REMOTE_WRITE) || rights.contains(AccessRight.LOCAL_WRITE);
        if (memory.isReadOnly() && (written || atomic)) {
            throw new IllegalArgumentException("read-only memory cannot be registered with a right to write");
        }
        if (atomic && !memory.isDirect()) {
            throw new IllegalArgumentException("memory on the heap cannot be registered for atomic operations");
        }
        if (count >= maxRegions) {
            throw new LimitReachedException("limit of " + maxRegions + " memory regions reached");
        }
        bytes.take(memory.remaining());
        Region region = kind.make(freshStag(), memory, rights);
        while (!registry.claim(region)) {
            region = kind.make(freshStag(), memory, rights);
        }
        Region older = newest;
        region.older = older;
        if (older != null) {
            older.newer = region;
        }
        newest = region;
        count++;
        return region;
    }

    private long freshStag() {
        long stag = stags.next();
        while (retiredSet.contains(stag)) {
            stag = stags.next();
        }
        return stag;
    }

    /** An STag for a region that is never valid. */
    long deadStag() {
        return stags.next();
    }

    /** Removes a region that was revoked. */
    void remove(Region region) {
        registry.release(region);
        Region older = region.older;
        Region newer = region.newer;
        if (older != null) {
            older.newer = newer;
        }
        if (newer != null) {
            newer.older = older;
        } else {
            newest = older;
        }
        region.older = null;
        region.newer = null;
        count--;
        bytes.give(region.lengthBytes());
        retired.add(region.stag());
        retiredSet.add(region.stag());
        if (retired.size() > QUARANTINE) {
            retiredSet.remove(retired.remove());
        }
    }

    @Nullable
    Region newest() {
        return newest;
    }

    void close() {
        bytes.close();
    }
}
