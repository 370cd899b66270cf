package org.warpnfs.nfs.v3;

/** A procedure's answer is not NFS3_OK. Carries no stack trace: it is an answer, not a defect. */
final class Nfs3Exception extends Exception {
    private static final long serialVersionUID = 1L;

    private final Nfs3Status status;

    Nfs3Exception(Nfs3Status status) {
        super(status.name(), null, false, false);
        this.status = status;
    }

    Nfs3Status status() {
        return status;
    }
}
