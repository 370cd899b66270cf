package org.warpnfs.rpcrdma.gss;

/** A call is denied. It carries no stack trace, since it reports no defect of the server. */
final class GssRefusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final AuthStatus status;

    GssRefusal(AuthStatus status, String detail) {
        super(detail, null, false, false);
        this.status = status;
    }

    AuthStatus status() {
        return status;
    }
}
