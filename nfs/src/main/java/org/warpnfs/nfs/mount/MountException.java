package org.warpnfs.nfs.mount;

/** The answer to MNT is not MNT3_OK. Carries no stack trace: it is an answer, not a defect. */
final class MountException extends Exception {
    private static final long serialVersionUID = 1L;

    private final MountStatus status;

    MountException(MountStatus status) {
        super(status.name(), null, false, false);
        this.status = status;
    }

    MountStatus status() {
        return status;
    }
}
