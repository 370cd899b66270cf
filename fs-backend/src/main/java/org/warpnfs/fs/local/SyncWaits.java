package org.warpnfs.fs.local;

/**
 * Is told when a thread waits for a sync that serves many: one of a journal or a whole file system, or one of a file
 * that another thread makes. Whoever bounds the number of running threads need not count those that wait. It must count
 * a thread that syncs one file, so it is not told of that. Called on the thread that waits; must not block.
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
