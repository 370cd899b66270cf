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
 * As {@link ProtectionDomain} says. Its identity is the object itself: nothing on the wire can name it (RFC 5041,
 * section 8.2).
 *
 * <h2>Buffers</h2>
 *
 * Refers to registered memory until its region is invalidated.
 *
 * <h2>Errors</h2>
 *
 * As {@link ProtectionDomain} says. Safe for any thread.
 */
public final class Domain implements ProtectionDomain {
    private final Object lock = new Object();
    private final StagRegistry registry;
    private final RegionScope regions;
    private final RegionOwner owner = this::forget;
    private boolean closed;

    /**
     * @param maxRegions at one time
     * @param bytes what they may take
     */
    public Domain(StagRegistry registry, StagSource stags, int maxRegions, Quota bytes) {
        this.registry = registry;
        this.regions = new RegionScope(registry, stags, maxRegions, bytes);
    }

    /** Whether its STags are among those of that registry. */
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

    /** Whether a region is one of its own. */
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
            // Not under our lock: it waits for placements. Whoever else revokes it now has not removed it yet.
            next.invalidate();
            Thread.onSpinWait();
        }
    }
}
