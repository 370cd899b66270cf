package org.warpnfs.rpcrdma.message;

/**
 * One call, complete and ready to run.
 *
 * <h2>Operation</h2>
 *
 * It must be ended exactly once, by {@link #reply} or {@link #drop}, on any thread.
 *
 * <h2>Buffers</h2>
 *
 * {@link #arguments()} and all views of it are valid until the call is ended.
 *
 * <h2>Errors</h2>
 *
 * If the connection has ended by then, the reply is released and not sent. Ending a call twice is a bug and throws
 * {@link IllegalStateException}, after the second reply's payloads have been released.
 */
public interface InboundCall {
    /** The whole RPC message, from its XID. */
    XdrStream arguments();

    /** True if the call holds payload memory until it is ended. Then it must not wait for more of it. */
    default boolean holdsMemory() {
        return false;
    }

    /**
     * Asks whether the call may begin. It may not while its caller leaves too many replies untaken. To be called just
     * before the call runs, on the thread that runs it.
     *
     * @param mayBeLong whether the reply may have the maximum length, as that of a READ or of a listing
     * @param retry runs once when there is room, on any thread. It passes the call up again, which then asks again and
     *     may begin. It must not block. It never runs if the connection ends first, which ends the call
     * @return false if the call has to wait; it must not be used then until {@code retry} runs
     */
    default boolean mayBegin(boolean mayBeLong, Runnable retry) {
        return true;
    }

    /**
     * Reports how much of the reply exists already. To be called before the call leaves its thread with part of a
     * reply.
     *
     * @param replyBytes length of that part on the heap
     * @return false if the requester has no room for that much, so that no memory was reserved for it; the call must
     *     then end on its thread
     */
    default boolean holds(long replyBytes) {
        return true;
    }

    /** See {@link org.warpnfs.payload.PayloadEncoder#maxRangeBytes}. */
    default int maxRangeBytes() {
        return 0;
    }

    /** Sends the reply and takes ownership of its payloads. */
    void reply(RpcMessage reply);

    /** Ends the call without an answer. */
    void drop();
}
