package org.warpnfs.tools.iwarp;

/** A test that did not come to its end; the message is a line for people. */
public final class TestFailure extends Exception {
    private static final long serialVersionUID = 1L;

    public TestFailure(String message) {
        super(message);
    }

    public TestFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
