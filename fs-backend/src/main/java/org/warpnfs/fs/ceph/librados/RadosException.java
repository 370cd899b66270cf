package org.warpnfs.fs.ceph.librados;

/** Failure of a call of librados, with the error number of Linux. */
public final class RadosException extends Exception {
    private static final long serialVersionUID = 1L;

    private static final int EPERM = 1;
    private static final int ENOENT = 2;
    private static final int EACCES = 13;
    private static final int ENOSPC = 28;
    private static final int EOPNOTSUPP = 95;
    private static final int ETIMEDOUT = 110;

    private final int errno;

    RadosException(String call, int errno) {
        super(call + ": " + words(errno));
        this.errno = errno;
    }

    private static String words(int errno) {
        return switch (errno) {
            case EPERM, EACCES -> "permission denied";
            case ENOENT -> "not found";
            case ENOSPC -> "no space";
            case EOPNOTSUPP -> "not supported by the pool";
            case ETIMEDOUT -> "no answer in time";
            default -> "error " + errno;
        };
    }

    /** The error number, above zero. */
    public int errno() {
        return errno;
    }

    /** True if there is no such thing. */
    public boolean isNotFound() {
        return errno == ENOENT;
    }

    /** True if the pool cannot do it: an erasure-coded one keeps no named values. */
    public boolean isNotSupported() {
        return errno == EOPNOTSUPP;
    }
}
