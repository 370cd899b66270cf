package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The process's limits: getrlimit, setrlimit of RLIMIT_NOFILE. */
public final class ResourceCalls {
    /** The same on x86-64 and aarch64. */
    private static final int RLIMIT_NOFILE = 7;

    private static final MethodHandle GETRLIMIT = Libc.intFunction("getrlimit", INT, POINTER);
    private static final MethodHandle SETRLIMIT = Libc.intFunction("setrlimit", INT, POINTER);

    private ResourceCalls() {}

    /** The limit of the process's descriptors. struct rlimit { u64 rlim_cur, rlim_max; }. */
    public static FileLimit fileLimit() throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment limit = memory.small;
        try {
            Libc.check((int) GETRLIMIT.invokeExact(memory.state, RLIMIT_NOFILE, limit));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
        return new FileLimit(unsigned(limit.getAtIndex(JAVA_LONG, 0)), unsigned(limit.getAtIndex(JAVA_LONG, 1)));
    }

    /** Sets the soft limit. Any process may set it up to the hard limit. */
    public static void setFileLimit(FileLimit limit) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment in = memory.small;
        in.setAtIndex(JAVA_LONG, 0, limit.soft());
        in.setAtIndex(JAVA_LONG, 1, limit.hard());
        try {
            Libc.check((int) SETRLIMIT.invokeExact(memory.state, RLIMIT_NOFILE, in));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** RLIM_INFINITY is all ones. */
    private static long unsigned(long value) {
        return value < 0 ? Long.MAX_VALUE : value;
    }

    /**
     * RLIMIT_NOFILE.
     *
     * @param soft the limit that the kernel enforces
     * @param hard the limit up to which the process may raise the soft one
     */
    public record FileLimit(long soft, long hard) {}
}
