package org.warpnfs.fs.local.libc;

/** Failure of a call of libc. It carries no stack trace, since failures are ordinary. */
public final class ErrnoException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int CACHED = 134;
    private static final ErrnoException[] CACHE = new ErrnoException[CACHED];

    static {
        for (int errno = 0; errno < CACHED; errno++) {
            CACHE[errno] = new ErrnoException(errno);
        }
    }

    private final int errno;

    private ErrnoException(int errno) {
        super("errno " + errno, null, false, false);
        this.errno = errno;
    }

    /** The exception for an error number. */
    public static ErrnoException of(int errno) {
        return errno >= 0 && errno < CACHED ? CACHE[errno] : new ErrnoException(errno);
    }

    /** The error number, as in {@link Errno}. */
    public int errno() {
        return errno;
    }
}
