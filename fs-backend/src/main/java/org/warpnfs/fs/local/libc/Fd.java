package org.warpnfs.fs.local.libc;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** An open file descriptor. Its holder closes it after its last use. A second close does nothing. */
public final class Fd implements AutoCloseable {
    private final int number;
    private final AtomicBoolean closed = new AtomicBoolean();

    Fd(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    /** A path to the open file itself, whatever its names are: /proc/self/fd/N. */
    public byte[] magicPath() {
        return ("/proc/self/fd/" + number).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            OpenCalls.close(number);
        }
    }

    /**
     * Closes as {@link #close} does and returns the result of close(2): some file systems write data only then.
     *
     * @return errno, or 0
     */
    public int closeForErrno() {
        return closed.compareAndSet(false, true) ? OpenCalls.close(number) : 0;
    }

    @Override
    public String toString() {
        return "fd " + number;
    }
}
