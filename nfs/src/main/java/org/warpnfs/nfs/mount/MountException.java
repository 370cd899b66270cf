package org.warpnfs.nfs.mount;

/** An answer to MNT other than MNT3_OK. It carries no stack trace, since it reports no defect of the server. */
final class MountException extends Exception {
    private static final long serialVersionUID = 1L;

    private final MountStatus status;
    private final boolean pending;

    MountException(MountStatus status) {
        this(false, status);
    }

    /** @param pending true if a repeated request may get another answer */
    MountException(boolean pending, MountStatus status) {
        super(status.name(), null, false, false);
        this.status = status;
        this.pending = pending;
    }

    /** True if the caller was not known yet. */
    boolean isPending() {
        return pending;
    }

    MountStatus status() {
        return status;
    }
}
