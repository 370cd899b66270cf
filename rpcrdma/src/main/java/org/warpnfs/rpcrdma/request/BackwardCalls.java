package org.warpnfs.rpcrdma.request;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Answers the responder's own calls, which come on the requester's connection (RFC 8167). */
@FunctionalInterface
public interface BackwardCalls {
    /** Drops every call. */
    BackwardCalls NONE = (call, reply) -> {};

    /**
     * A call has come. Called on the connection's owner thread: hands work on and returns.
     *
     * @param call the RPC message; the callee's
     * @param reply takes the reply's RPC message, at most once, on any thread; a call without a reply keeps its credit
     */
    void call(ByteBuffer call, Consumer<ByteBuffer> reply);

    /** Answers at once. */
    static BackwardCalls answeredBy(UnaryOperator<ByteBuffer> program) {
        return (call, reply) -> reply.accept(program.apply(call));
    }
}
