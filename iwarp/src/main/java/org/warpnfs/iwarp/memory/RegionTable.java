package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.rdmap.RdmapRegions;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.MemoryRegion;

/**
 * The regions that one stream can access: its own, and those of its protection domain if it is in one.
 *
 * <h2>Operation</h2>
 *
 * An STag from a peer is looked up in the registry of all streams. It is found only if it belongs to this stream or its
 * domain.
 *
 * <h2>Buffers</h2>
 *
 * Refers to registered memory until its region is invalidated.
 *
 * <h2>Errors</h2>
 *
 * Registering beyond a limit throws {@link LimitReachedException}. Revoking on a thread other than the owner thread
 * throws {@link IllegalStateException}, because the owner thread may be placing.
 */
public final class RegionTable implements RdmapRegions {
    private final StagRegistry registry;
    private final BooleanSupplier inOwnerThread;
    private final RegionScope own;
    private final RegionScope.Kind kind = this::region;
    private final RegionOwner owner;
    private @Nullable Domain domain;

    /**
     * @param maxRegions the most regions of this stream at one time
     * @param bytes the quota of registered memory
     * @param inOwnerThread whether the caller is on the thread that places
     */
    public RegionTable(
            StagRegistry registry, StagSource stags, int maxRegions, Quota bytes, BooleanSupplier inOwnerThread) {
        this.registry = registry;
        this.inOwnerThread = inOwnerThread;
        this.own = new RegionScope(registry, stags, maxRegions, bytes);
        this.owner = own::remove;
    }

    /** Puts the stream into a domain. To be called before the peer can send an STag. */
    public void join(Domain joined) {
        domain = joined;
    }

    /** Registers the memory between position and limit for this stream. */
    public Region register(ByteBuffer memory, Set<AccessRight> rights) {
        return own.register(memory, rights, kind);
    }

    private Region region(long stag, ByteBuffer memory, Set<AccessRight> rights) {
        return new StreamRegion(owner, stag, memory, rights, inOwnerThread);
    }

    /**
     * Creates a region that is never valid, for an upper layer that does not know yet that its connection has ended.
     */
    public Region registerDead(ByteBuffer memory, Set<AccessRight> rights) {
        Region region = region(own.deadStag(), memory, rights);
        region.revoke();
        return region;
    }

    @Override
    public @Nullable Region find(long stag) {
        Region region = registry.find(stag);
        return region != null && reaches(region) ? region : null;
    }

    @Override
    public boolean isOfOthers(long stag) {
        Region region = registry.find(stag);
        return region != null && !reaches(region);
    }

    private boolean reaches(Region region) {
        return region.isOf(owner) || (domain != null && domain.owns(region));
    }

    /** Whether a region is valid on this stream. */
    public boolean holds(MemoryRegion region) {
        return region instanceof Region known && known.valid() && reaches(known);
    }

    /** Invalidates all regions of the stream and leaves its domain, because the stream has ended. */
    public void invalidateAll() {
        for (Region region = own.newest(); region != null; region = own.newest()) {
            region.revoke();
            own.remove(region);
        }
        own.close();
        domain = null;
    }
}
