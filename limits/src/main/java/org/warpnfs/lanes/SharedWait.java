package org.warpnfs.lanes;

import org.jspecify.annotations.Nullable;

/**
 * A wait that many calls share, such as that for a sync of a journal: the more of them wait, the cheaper it is for
 * each.
 *
 * <h2>Operation</h2>
 *
 * {@code boolean begun = SharedWait.begin(); try { ... } finally { SharedWait.end(begun); }}. Meanwhile the task of
 * this thread gives up its place among the running tasks of its lane. Another task gets it, and perhaps joins the wait.
 * Lanes bound the number of such waits, in total and for each client; beyond that, a task keeps its place.
 *
 * <h2>Errors</h2>
 *
 * None. Each method applies to the current thread, and does nothing where that is not a {@link CallThread}.
 */
public final class SharedWait {
    private SharedWait() {}

    /** The place that a task has among the running tasks of its lane. Used by the thread of the task only. */
    public interface Place {
        /**
         * Gives up the place.
         *
         * @return false if the task keeps it, because it may not wait without or does so already
         */
        boolean leave();

        /** Takes a place again. It does not wait for one. */
        void takeAgain();
    }

    /** Sets the place of the task that this thread begins; null when the task has ended. */
    public static void ofTask(@Nullable Place place) {
        if (Thread.currentThread() instanceof CallThread thread) {
            thread.place = place;
        }
    }

    /**
     * The wait begins.
     *
     * @return for {@link #end}
     */
    public static boolean begin() {
        return Thread.currentThread() instanceof CallThread thread && thread.place != null && thread.place.leave();
    }

    /**
     * The wait has ended.
     *
     * @param begun what {@link #begin} returned
     */
    public static void end(boolean begun) {
        if (begun && Thread.currentThread() instanceof CallThread thread && thread.place != null) {
            thread.place.takeAgain();
        }
    }
}
