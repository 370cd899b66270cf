package org.warpnfs.rpcrdma.message;

/**
 * One call, complete and ready to be run.
 *
 * <h2>Operation</h2>
 *
 * Ended exactly once, by {@link #reply} or {@link #drop}, from any thread.
 *
 * <h2>Buffers</h2>
 *
 * {@link #arguments()} and every view taken of it are valid until then.
 *
 * <h2>Errors</h2>
 *
 * If the connection has ended meanwhile, the reply is released and goes nowhere. Ending a call twice is a bug and
 * throws {@link IllegalStateException}; the second reply's payloads are released first.
 */
public interface InboundCall {
    /** The whole RPC message, from its XID. */
    XdrStream arguments();

    /** True if the call holds payload memory until it is ended: then it must not wait for more of it. */
    default boolean holdsMemory() {
        return false;
    }

    /**
     * Asks whether the call may begin: whoever called may leave untaken what it was answered. To be asked just before,
     * on the thread that runs the call.
     *
     * @param mayBeLong whether the reply may be of the longest, as that of a READ or of a listing
     * @param retry runs once when there is room, on any thread, and hands the call up again, which then asks again and
     *     may begin. It does not block. It never runs if the connection ends first: that ends the call
     * @return false if the call has to wait, and is not the caller's until {@code retry} runs
     */
    default boolean mayBegin(boolean mayBeLong, Runnable retry) {
        return true;
    }

    /**
     * Says how much of the reply there is already; to be said before the call leaves its thread with part of it.
     *
     * @param replyBytes on the heap
     * @return false if the requester has no room for as much, so that it was never reserved: then the call must come to
     *     an end where it is
     */
    default boolean holds(long replyBytes) {
        return true;
    }

    /** Sends the reply and takes over its payloads. */
    void reply(RpcMessage reply);

    /** Gives up the call without an answer. */
    void drop();
}
