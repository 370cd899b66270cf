package org.warpnfs.nfs.mount;

/** The answer to MNT is not MNT3_OK. Carries no stack trace: it is an answer, not a defect. */
final class MountException extends Exception {
    private static final long serialVersionUID = 1L;

    private final MountStatus status;
    private final boolean pending;

    MountException(MountStatus status) {
        this(false, status);
    }

    /** @param pending asking again may be answered otherwise */
    MountException(boolean pending, MountStatus status) {
        super(status.name(), null, false, false);
        this.status = status;
        this.pending = pending;
    }

    /** True if who calls was not known yet. */
    boolean isPending() {
        return pending;
    }

    MountStatus status() {
        return status;
    }
}
