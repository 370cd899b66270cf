package org.warpnfs.tools.iwarp;

/** Reports a test that did not complete; the message is one line of text. */
public final class TestFailure extends Exception {
    private static final long serialVersionUID = 1L;

    public TestFailure(String message) {
        super(message);
    }

    public TestFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
