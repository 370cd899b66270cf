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
 * If the connection has ended meanwhile, the reply is released and goes nowhere. Ending a call twice is a bug and throws
 * {@link IllegalStateException}; the second reply's payloads are released first.
 */
public interface InboundCall {
    /** The whole RPC message, from its XID. */
    XdrStream arguments();

    /** True if the call holds payload memory until it is ended: then it must not wait for more of it. */
    default boolean holdsMemory() {
        return false;
    }

    /** Sends the reply and takes over its payloads. */
    void reply(RpcMessage reply);

    /** Gives up the call without an answer. */
    void drop();
}
