package org.warpnfs.server.killed;

/** Says that the server was killed, so that the call in progress gets no answer. */
final class Gone extends Exception {
    private static final long serialVersionUID = 1;

    Gone(Throwable cause) {
        super(cause);
    }
}
