package org.warpnfs.rpcrdma.request;

import java.io.IOException;

/** Thrown when a call failed below the RPC layer. */
public final class RequestException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The kinds of failure. */
    public enum Failure {
        /** The responder does not support version 1 of RPC-over-RDMA. */
        ERR_VERS,
        /** The responder could not use the chunks, or the reply did not fit what was offered. */
        ERR_CHUNK,
        /** The reply is not valid. */
        BAD_REPLY,
        /** The connection ended before the reply. It is not known whether the call ran. */
        DISCONNECTED,
        /** No reply came in time. It is not known whether the call ran. */
        TIMED_OUT,
        /** The call was never sent, because too many others wait or because it cannot be sent as it is. */
        REFUSED
    }

    private final Failure failure;

    public RequestException(Failure failure, String detail) {
        super(failure + ": " + detail);
        this.failure = failure;
    }

    public Failure failure() {
        return failure;
    }
}
