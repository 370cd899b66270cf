package org.warpnfs.nfs.locks;

/** Who waits for a lock. Told on the service's own executor, never under a lock. */
@FunctionalInterface
public interface LockWaiter {
    /** The lock that was waited for is held from now on; or it can be had now, if its owner asks again. */
    void granted();

    /** The request left the line without a lock, although its owner did not ask for that, or while it was tried. */
    default void dropped() {}
}
