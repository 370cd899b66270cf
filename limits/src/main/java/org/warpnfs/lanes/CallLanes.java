package org.warpnfs.lanes;

import org.warpnfs.limits.ClientAddress;

/**
 * What a transport's XDR stream offers beside decoders and encoders: a way for its call to stop, and to go on elsewhere
 * or later.
 *
 * <p>A program asks {@code call.getXdr() instanceof CallLanes}. Where it is not, the call runs to its end on the thread
 * that it came on.
 *
 * <h2>Operation</h2>
 *
 * A call that has been handed to {@link #proceed} belongs to another thread from then on: whoever handed it over
 * touches nothing of it any more.
 *
 * <h2>Errors</h2>
 *
 * What the rest of a call throws is answered for as what its beginning throws. Safe for any thread.
 */
public interface CallLanes {
    /** Whose call it is. */
    ClientAddress client();

    /** Where the call has started. */
    Lane lane();

    /** How long it waited for its first thread, from when it was whole; 0 where that is not known. */
    default long waitedNanos() {
        return 0;
    }

    /**
     * True if the call may wait for payload memory. One that holds some itself may not: two such calls could wait for
     * each other.
     */
    boolean mayWait();

    /**
     * Says how much of the reply there is already. A call that is about to leave its thread says so, since what many
     * calls hold that wait on no thread has to be counted; one that runs is counted by its thread.
     *
     * @param replyBytes of its reply so far, without what lies in pooled buffers
     * @return false if that is more than its caller has room for: then it must not leave its thread, and comes to an
     *     end there
     */
    default boolean holds(long replyBytes) {
        return true;
    }

    /**
     * True if its caller, hearing nothing, sends it again soon, as callers over UDP do: it may be {@linkplain #leave
     * left} rather than hold a thread.
     */
    default boolean isRepeated() {
        return false;
    }

    /** Ends the call without an answer; only where it {@link #isRepeated}. */
    default void leave() {
        throw new UnsupportedOperationException("nobody repeats this call");
    }

    /**
     * Goes on with the call on a thread of {@code lane}; if there is none any more, {@code rest} is refused on this
     * thread.
     */
    void proceed(Lane lane, LaneTask rest);

    /**
     * Says when the reply of this call has left, or never will. To be asked before it is answered, once.
     *
     * @param left runs once, on any thread; must not block
     * @return false if nobody says
     */
    default boolean onReplyLeft(Runnable left) {
        return false;
    }

    /**
     * Says when the call's connection has ended, so that nobody will hear its answer.
     *
     * @param task runs once, on any thread, perhaps at once on this one; must not block
     * @return to be run when {@code task} need not be told any more
     */
    Runnable onConnectionEnd(Runnable task);
}
