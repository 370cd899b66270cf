package org.warpnfs.lanes;

import org.warpnfs.limits.ClientAddress;

/**
 * An optional interface of a transport's XDR stream. With it a call can stop and continue on another thread or later.
 *
 * <p>A program tests {@code call.getXdr() instanceof CallLanes}. If the stream does not implement it, the call runs to
 * its end on its first thread.
 *
 * <h2>Operation</h2>
 *
 * After {@link #proceed} the call belongs to another thread. The caller must not use it any more.
 *
 * <h2>Errors</h2>
 *
 * An exception from the rest of a call is answered like one from its beginning. Safe for any thread.
 */
public interface CallLanes {
    /** The client that sent the call. */
    ClientAddress client();

    /** The lane in which the call started. */
    Lane lane();

    /** How long the complete call waited for its first thread, in nanoseconds; 0 if unknown. */
    default long waitedNanos() {
        return 0;
    }

    /**
     * True if the call may wait for payload memory. A call that holds some may not, because two such calls could wait
     * for each other.
     */
    boolean mayWait();

    /**
     * Reports how much of the reply exists already. A call reports it before it leaves its thread with part of a reply.
     * The memory of a running call is bounded by the number of threads, but calls that wait on no thread must be
     * counted.
     *
     * @param replyBytes length of the reply so far, without what lies in pooled buffers
     * @return false if the caller has no room for it; then the call must not leave its thread and ends there
     */
    default boolean holds(long replyBytes) {
        return true;
    }

    /**
     * True if the caller sends the call again soon when it gets no answer, as callers over UDP do. Such a call may be
     * {@linkplain #leave dropped} instead of holding a thread.
     */
    default boolean isRepeated() {
        return false;
    }

    /** Ends the call without an answer. Permitted only if {@link #isRepeated}. */
    default void leave() {
        throw new UnsupportedOperationException("this call is not repeated by its caller, so it must be answered");
    }

    /**
     * Continues the call on a thread of {@code lane}. If no threads are left, {@code rest} is refused on this thread.
     */
    void proceed(Lane lane, LaneTask rest);

    /**
     * Requests a notification when the reply of this call has been sent, or never will be. To be called once, before
     * the call is answered.
     *
     * @param left runs once, on any thread; must not block
     * @return false if there will be no notification
     */
    default boolean onReplyLeft(Runnable left) {
        return false;
    }

    /**
     * Requests a notification when the call's connection has ended, so that its answer reaches nobody.
     *
     * @param task runs once, on any thread, perhaps at once on this one; must not block
     * @return an action that withdraws the request
     */
    Runnable onConnectionEnd(Runnable task);
}
