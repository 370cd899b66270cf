package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Byte-range locks of open file descriptions, and leases: fcntl with F_OFD_SETLK, F_OFD_GETLK, F_SETLEASE, F_GETLEASE.
 *
 * <p>The layout of struct flock on 64-bit Linux:
 *
 * <pre>
 *    0  short  l_type
 *    2  short  l_whence
 *    8  long   l_start
 *   16  long   l_len
 *   24  int    l_pid
 * </pre>
 */
public final class LockCalls {
    private static final int F_SETSIG = 10;
    private static final int F_OFD_GETLK = 36;
    private static final int F_OFD_SETLK = 37;
    private static final int F_SETLEASE = 1024;
    private static final int F_GETLEASE = 1025;

    private static final short F_RDLCK = 0;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;

    private static final int SIGURG = 23;

    private static final long TYPE = 0;
    private static final long WHENCE = 2;
    private static final long START = 8;
    private static final long LENGTH = 16;
    private static final long PID = 24;
    private static final long FLOCK_BYTES = 32;

    private static final MethodHandle FCNTL_POINTER = Libc.variadicIntFunction("fcntl", 2, INT, INT, POINTER);
    private static final MethodHandle FCNTL_INT = Libc.variadicIntFunction("fcntl", 2, INT, INT, INT);

    private LockCalls() {}

    /**
     * A lock that is held.
     *
     * @param lengthBytes 0 for one without an end
     * @param process -1 for a lock of an open file description; 0 for a process that this one cannot see
     */
    public record Held(boolean exclusive, long start, long lengthBytes, int process) {}

    /**
     * Locks a range for the description, without waiting.
     *
     * @param lengthBytes 0 for a range without an end
     * @throws ErrnoException EAGAIN or EACCES if there is a conflicting lock, EBADF if the description is not open for
     *     this kind of lock, ENOLCK, ENOMEM
     */
    public static void lock(Fd fd, boolean exclusive, long start, long lengthBytes) throws ErrnoException {
        set(fd, exclusive ? F_WRLCK : F_RDLCK, start, lengthBytes);
    }

    /** Unlocks what the description has locked of the range. */
    public static void unlock(Fd fd, long start, long lengthBytes) throws ErrnoException {
        set(fd, F_UNLCK, start, lengthBytes);
    }

    private static void set(Fd fd, short type, long start, long lengthBytes) throws ErrnoException {
        while (true) {
            CallMemory memory = CallMemory.current();
            try {
                int _ = Libc.check((int) FCNTL_POINTER.invokeExact(
                        memory.state, fd.number(), F_OFD_SETLK, flock(memory, type, start, lengthBytes)));
                return;
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }

    /** A lock of another description or of a process that {@link #lock} would conflict with; null if there is none. */
    public static @Nullable Held conflict(Fd fd, boolean exclusive, long start, long lengthBytes)
            throws ErrnoException {
        while (true) {
            CallMemory memory = CallMemory.current();
            MemorySegment flock = flock(memory, exclusive ? F_WRLCK : F_RDLCK, start, lengthBytes);
            try {
                int _ = Libc.check((int) FCNTL_POINTER.invokeExact(memory.state, fd.number(), F_OFD_GETLK, flock));
                short type = flock.get(JAVA_SHORT, TYPE);
                return type == F_UNLCK
                        ? null
                        : new Held(
                                type == F_WRLCK,
                                flock.get(JAVA_LONG, START),
                                flock.get(JAVA_LONG, LENGTH),
                                flock.get(JAVA_INT, PID));
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }

    private static MemorySegment flock(CallMemory memory, short type, long start, long lengthBytes) {
        MemorySegment flock = memory.small.asSlice(0, FLOCK_BYTES);
        flock.fill((byte) 0);
        flock.set(JAVA_SHORT, TYPE, type);
        flock.set(JAVA_SHORT, WHENCE, (short) 0);
        flock.set(JAVA_LONG, START, start);
        flock.set(JAVA_LONG, LENGTH, lengthBytes);
        return flock;
    }

    /**
     * Takes a lease on the file of a description. A break of the lease sends no signal that anybody hears: the default
     * signal, SIGIO, would end this process, so SIGURG is set, which processes ignore. {@link #isBreaking} tells.
     *
     * @param exclusive false for a lease that only writers break; the description must be open for reading alone
     * @throws ErrnoException EAGAIN if the file is open in a way that conflicts, EACCES without CAP_LEASE on a file of
     *     another user, EINVAL where the file system has no leases
     */
    public static void lease(Fd fd, boolean exclusive) throws ErrnoException {
        fcntl(fd, F_SETSIG, SIGURG);
        fcntl(fd, F_SETLEASE, exclusive ? F_WRLCK : F_RDLCK);
    }

    /** True if somebody waits for the lease to be released, or it was taken away. */
    public static boolean isBreaking(Fd fd, boolean exclusive) throws ErrnoException {
        return fcntl(fd, F_GETLEASE, 0) != (exclusive ? F_WRLCK : F_RDLCK);
    }

    /** Releases the lease. */
    public static void endLease(Fd fd) throws ErrnoException {
        fcntl(fd, F_SETLEASE, F_UNLCK);
    }

    private static int fcntl(Fd fd, int command, int argument) throws ErrnoException {
        while (true) {
            try {
                return Libc.check(
                        (int) FCNTL_INT.invokeExact(CallMemory.current().state, fd.number(), command, argument));
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }
}
