package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.LONG;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Sending and probing the page cache: sendfile, cachestat, preadv2, fcntl(F_DUPFD_CLOEXEC). */
public final class RangeCalls {
    /** System calls since Linux 5 have the same number on all platforms. */
    private static final long SYSCALL_CACHESTAT = 451;

    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int RWF_NOWAIT = 8;
    private static final int IOV_COUNT = 1;
    private static final long RANGE = 0;
    private static final long RANGE_BYTES = 16;
    private static final long STAT = RANGE + RANGE_BYTES;
    private static final long STAT_BYTES = 40;
    private static final long IOV = STAT + STAT_BYTES;
    private static final long IOV_BYTES = 16;
    private static final long BYTE = IOV + IOV_BYTES;

    private static final MethodHandle SYSCALL =
            Libc.variadicLongFunction("syscall", 1, LONG, INT, POINTER, POINTER, INT);
    private static final MethodHandle SENDFILE = Libc.longFunction("sendfile", INT, INT, POINTER, LONG);
    private static final MethodHandle PREADV2 = Libc.longFunction("preadv2", INT, POINTER, INT, LONG, INT);
    private static final MethodHandle FCNTL = Libc.variadicIntFunction("fcntl", 2, INT, INT, INT);

    private RangeCalls() {}

    /** Another descriptor of the same open file. */
    public static Fd duplicate(Fd fd) throws ErrnoException {
        try {
            return new Fd(
                    Libc.check((int) FCNTL.invokeExact(CallMemory.current().state, fd.number(), F_DUPFD_CLOEXEC, 0)));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /**
     * Number of pages of the range that the page cache has, whether or not they have been read from the disk yet.
     *
     * @throws ErrnoException ENOSYS before Linux 6.5
     */
    public static long cachedPages(Fd fd, long offset, long lengthBytes) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment range = memory.small.asSlice(RANGE, RANGE_BYTES);
        MemorySegment stat = memory.small.asSlice(STAT, STAT_BYTES);
        range.setAtIndex(JAVA_LONG, 0, offset);
        range.setAtIndex(JAVA_LONG, 1, lengthBytes);
        try {
            Libc.check((long) SYSCALL.invokeExact(memory.state, SYSCALL_CACHESTAT, fd.number(), range, stat, 0));
            return stat.getAtIndex(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /**
     * Reads one byte if that needs no wait.
     *
     * @throws ErrnoException EAGAIN if it needs one, EOPNOTSUPP if the file system cannot tell
     */
    public static void probe(Fd fd, long offset) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment iov = memory.small.asSlice(IOV, IOV_BYTES);
        iov.setAtIndex(JAVA_LONG, 0, memory.small.address() + BYTE);
        iov.setAtIndex(JAVA_LONG, 1, 1);
        try {
            Libc.check((long) PREADV2.invokeExact(memory.state, fd.number(), iov, IOV_COUNT, offset, RWF_NOWAIT));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /**
     * Reads once what the page cache has. The result may be short, also where the rest has to be read from the disk.
     *
     * @throws ErrnoException EAGAIN if nothing is there, EOPNOTSUPP if the file system cannot tell
     */
    public static long readCached(Fd fd, MemorySegment sink, long offset) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment iov = memory.small.asSlice(IOV, IOV_BYTES);
        iov.setAtIndex(JAVA_LONG, 0, sink.address());
        iov.setAtIndex(JAVA_LONG, 1, sink.byteSize());
        while (true) {
            try {
                return Libc.check(
                        (long) PREADV2.invokeExact(memory.state, fd.number(), iov, IOV_COUNT, offset, RWF_NOWAIT));
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }

    /**
     * Sends from a file to a socket.
     *
     * @param socket number of its descriptor
     * @return number of bytes, 0 where the file ends
     */
    public static long send(int socket, Fd file, long offset, long lengthBytes) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment at = memory.small.asSlice(0, Long.BYTES);
        while (true) {
            at.set(JAVA_LONG, 0, offset);
            try {
                return Libc.check((long) SENDFILE.invokeExact(memory.state, socket, file.number(), at, lengthBytes));
            } catch (Throwable e) {
                Libc.failUnlessInterrupted(e);
            }
        }
    }
}
