package org.warpnfs.nfs.idmap;

/** A name that no user or group here has. It carries no stack trace, since it reports no defect of the server. */
public final class UnknownName extends Exception {
    private static final long serialVersionUID = 1L;

    UnknownName() {
        super("no user or group of that name", null, false, false);
    }
}
