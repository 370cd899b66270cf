package org.warpnfs.rpcrdma.tcp;

/**
 * Thrown when the peer announced a record longer than the limit, or sent only empty fragments. The connection is closed
 * without an answer. The exception has no stack trace.
 */
final class RecordViolation extends Exception {
    private static final long serialVersionUID = 1L;

    RecordViolation(String detail) {
        super(detail, null, false, false);
    }
}
