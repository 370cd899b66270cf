package org.warpnfs.iwarp.rdmap;

import org.jspecify.annotations.Nullable;

/** Looks up regions by the STags of one stream. */
@FunctionalInterface
public interface RdmapRegions {
    /** The valid region of an STag; null if this stream has none. */
    @Nullable
    RdmapRegion find(long stag);

    /** Whether the STag is valid, but not on this stream. */
    default boolean isOfOthers(long stag) {
        return false;
    }
}
