package org.warpnfs.iwarp.rdmap;

import org.jspecify.annotations.Nullable;

/** The regions that one stream's STags name. */
@FunctionalInterface
public interface RdmapRegions {
    /** The valid region of that STag; null if this stream has none. */
    @Nullable
    RdmapRegion find(long stag);

    /** Whether the STag is valid, but not on this stream. */
    default boolean isOfOthers(long stag) {
        return false;
    }
}
