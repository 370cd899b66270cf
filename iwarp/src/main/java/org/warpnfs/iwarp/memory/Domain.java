package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.ProtectionDomain;

/**
 * A protection domain.
 *
 * <h2>Operation</h2>
 *
 * See {@link ProtectionDomain}. A domain is identified by its object, because nothing on the wire names it (RFC 5041,
 * section 8.2).
 *
 * <h2>Buffers</h2>
 *
 * Refers to registered memory until its region is invalidated.
 *
 * <h2>Errors</h2>
 *
 * See {@link ProtectionDomain}. Safe for any thread.
 */
public final class Domain implements ProtectionDomain {
    private final Object lock = new Object();
    private final StagRegistry registry;
    private final RegionScope regions;
    private final RegionOwner owner = this::forget;
    private boolean closed;

    /**
     * @param maxRegions the most regions at one time
     * @param bytes the quota of registered memory
     */
    public Domain(StagRegistry registry, StagSource stags, int maxRegions, Quota bytes) {
        this.registry = registry;
        this.regions = new RegionScope(registry, stags, maxRegions, bytes);
    }

    /** Whether its STags belong to that registry. */
    public boolean isOf(StagRegistry other) {
        return registry == other;
    }

    @Override
    public MemoryRegion register(ByteBuffer memory, Set<AccessRight> rights) {
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("the protection domain is closed");
            }
            return regions.register(
                    memory, rights, (stag, bytes, allowed) -> new DomainRegion(owner, stag, bytes, allowed));
        }
    }

    /** Whether a region belongs to this domain. */
    boolean owns(Region region) {
        return region.isOf(owner);
    }

    private void forget(Region region) {
        synchronized (lock) {
            regions.remove(region);
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        while (true) {
            Region next;
            synchronized (lock) {
                next = regions.newest();
                if (next == null) {
                    regions.close();
                    return;
                }
            }
            // Not under our lock, because it waits for placements. Another thread may be revoking the region now. It
            // removes the region later.
            next.invalidate();
            Thread.onSpinWait();
        }
    }
}
