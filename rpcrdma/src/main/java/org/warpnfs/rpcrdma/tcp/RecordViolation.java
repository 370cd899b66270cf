package org.warpnfs.rpcrdma.tcp;

/**
 * The peer announced a record longer than the limit. There is no answer to that: the connection is closed. No stack.
 */
final class RecordViolation extends Exception {
    private static final long serialVersionUID = 1L;

    RecordViolation(String detail) {
        super(detail, null, false, false);
    }
}
