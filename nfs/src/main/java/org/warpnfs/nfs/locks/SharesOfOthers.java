package org.warpnfs.nfs.locks;

import org.warpnfs.fs.spi.FileIdentity;

/**
 * Share reservations of clients that reserve without opens: SHARE of NLM. Called under the lock of NFSv4 state; must
 * return at once. Bit 1 is reading, bit 2 is writing.
 */
@FunctionalInterface
public interface SharesOfOthers {
    /** True if a reservation denies one of these accesses, or has an access that is to be denied. */
    boolean conflict(FileIdentity file, int access, int deny);
}
