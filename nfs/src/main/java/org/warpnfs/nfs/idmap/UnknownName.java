package org.warpnfs.nfs.idmap;

/** A name that nobody here has. Carries no stack trace: it is an answer to a client, not a defect. */
public final class UnknownName extends Exception {
    private static final long serialVersionUID = 1L;

    UnknownName() {
        super("no user or group of that name", null, false, false);
    }
}
