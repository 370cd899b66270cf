package org.warpnfs.iwarp.memory;

/** The owner of registered regions: a stream or a protection domain. Regions compare owners by identity. */
interface RegionOwner {
    /** A region of this owner has been revoked. */
    void revoked(Region region);
}
