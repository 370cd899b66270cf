package org.warpnfs.testkit;

/** A capture file is malformed. */
public final class CaptureFormatException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CaptureFormatException(String message) {
        super(message);
    }
}
