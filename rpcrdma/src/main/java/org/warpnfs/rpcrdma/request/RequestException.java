package org.warpnfs.rpcrdma.request;

import java.io.IOException;

/** A call failed below RPC. */
public final class RequestException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What became of the call. */
    public enum Failure {
        /** The responder does not speak version 1 of RPC-over-RDMA. */
        ERR_VERS,
        /** The responder could not use the chunks, or the reply did not fit what was offered. */
        ERR_CHUNK,
        /** The reply makes no sense. */
        BAD_REPLY,
        /** The connection ended first; whether the call ran is not known. */
        DISCONNECTED,
        /** No reply came in time; whether the call ran is not known. */
        TIMED_OUT,
        /** The call was never sent: too many others wait, or it cannot be sent as it is. */
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
