package org.warpnfs.rpcrdma.request;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Answers calls of the responder, which come on the requester's connection (RFC 8167). */
@FunctionalInterface
public interface BackwardCalls {
    /** Drops every call. */
    BackwardCalls NONE = (call, reply) -> {};

    /**
     * A call has arrived. Called on the connection's owner thread, so it passes work on and returns.
     *
     * @param call the RPC message, which belongs to the callee
     * @param reply takes the reply's RPC message, at most once, on any thread; a call without a reply keeps its credit
     */
    void call(ByteBuffer call, Consumer<ByteBuffer> reply);

    /** Answers each call immediately, on the owner thread. */
    static BackwardCalls answeredBy(UnaryOperator<ByteBuffer> program) {
        return (call, reply) -> reply.accept(program.apply(call));
    }
}
