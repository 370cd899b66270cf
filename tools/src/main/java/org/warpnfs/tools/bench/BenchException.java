package org.warpnfs.tools.bench;

/** The benchmark cannot be run. The message is one line for people. */
public final class BenchException extends Exception {
    private static final long serialVersionUID = 1L;

    public BenchException(String message) {
        super(message);
    }

    public BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
