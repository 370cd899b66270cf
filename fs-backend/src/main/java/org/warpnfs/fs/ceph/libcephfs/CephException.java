package org.warpnfs.fs.ceph.libcephfs;

/** Failure of a call of libcephfs. It carries no stack trace, since failures are ordinary. */
public final class CephException extends Exception {
    private static final long serialVersionUID = 1L;

    private static final int CACHED = 134;
    private static final CephException[] CACHE = new CephException[CACHED];

    static {
        for (int errno = 0; errno < CACHED; errno++) {
            CACHE[errno] = new CephException(errno);
        }
    }

    private final int errno;

    private CephException(int errno) {
        super("error " + errno, null, false, false);
        this.errno = errno;
    }

    /** The exception for an error number above zero. */
    public static CephException of(int errno) {
        return errno >= 0 && errno < CACHED ? CACHE[errno] : new CephException(errno);
    }

    /** The error number, as in {@link CephErrno}. */
    public int errno() {
        return errno;
    }
}
