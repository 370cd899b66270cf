package org.warpnfs.fs.local.libc;

/** A call of libc failed. Carries no stack trace: failing is ordinary. */
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

    /** The exception that stands for it. */
    public static ErrnoException of(int errno) {
        return errno >= 0 && errno < CACHED ? CACHE[errno] : new ErrnoException(errno);
    }

    /** As in {@link Errno}. */
    public int errno() {
        return errno;
    }
}
