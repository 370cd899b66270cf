package org.warpnfs.iwarp.memory;

/** Who has registered regions: a stream or a protection domain. Regions know it by its identity. */
interface RegionOwner {
    /** A region of its own has been revoked, by itself. */
    void revoked(Region region);
}
