package org.warpnfs.nfs.locks;

import org.warpnfs.limits.ClientAddress;

/**
 * The owner of locks, of any protocol. Equal lockers are one owner, whose locks never conflict with each other. All
 * methods are called under the lock of the service and must return at once.
 */
public interface Locker {
    /** True if its locks no longer count, although they were not released yet. */
    boolean isGone();

    /** The bytes by which its client names it, for others that meet its lock. */
    byte[] name();

    /** Whose share it takes of what clients share. */
    ClientAddress address();

    /** The number of its process on its client; 0 if the protocol has none. */
    default int process() {
        return 0;
    }
}
