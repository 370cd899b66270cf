package org.warpnfs.server.metrics;

/** Reports an expression that Prometheus would refuse. */
final class PromQlException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PromQlException(String why, int at, String expression) {
        super(why + " at " + at + " of: " + expression);
    }
}
