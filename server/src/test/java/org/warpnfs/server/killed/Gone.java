package org.warpnfs.server.killed;

/** The server has been killed: what was under way has no answer. */
final class Gone extends Exception {
    private static final long serialVersionUID = 1;

    Gone(Throwable cause) {
        super(cause);
    }
}
