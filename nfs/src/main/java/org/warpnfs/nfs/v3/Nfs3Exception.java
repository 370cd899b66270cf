package org.warpnfs.nfs.v3;

/** A procedure's answer other than NFS3_OK. It carries no stack trace, since it reports no defect of the server. */
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
