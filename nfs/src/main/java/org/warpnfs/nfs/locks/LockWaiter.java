package org.warpnfs.nfs.locks;

/** Who waits for a lock. Told on the service's own executor, never under a lock. */
@FunctionalInterface
public interface LockWaiter {
    /** The lock that was waited for is held from now on; or it can be had now, if its owner asks again. */
    void granted();

    /**
     * True if its owner hears of {@link #granted}; false if it only learns that its turn has come by asking. Called
     * under the lock of the service.
     */
    default boolean isTold() {
        return true;
    }

    /** The request left the line without a lock, although its owner did not ask for that, or while it was tried. */
    default void dropped() {}
}
