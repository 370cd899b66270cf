package org.warpnfs.fs.local;

/**
 * Is told when a thread waits for stable storage. Threads that wait at the same time share one sync, so whoever bounds
 * the number of running threads need not count those that wait. Called on the thread that waits; must not block.
 */
public interface SyncWaits {
    /** Nobody bounds threads. */
    SyncWaits UNCOUNTED = new SyncWaits() {
        @Override
        public boolean begin() {
            return false;
        }

        @Override
        public void end(boolean begun) {}
    };

    /**
     * The wait begins. A wait may begin within another.
     *
     * @return for {@link #end}
     */
    boolean begin();

    /** The wait has ended. */
    void end(boolean begun);
}
