package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.LONG;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Extended attributes by full name: getxattr and related calls. The descriptor may be O_PATH. */
public final class XattrCalls {
    /** For {@link #set}. */
    public static final int XATTR_CREATE = 1;

    public static final int XATTR_REPLACE = 2;

    /** XATTR_SIZE_MAX and XATTR_LIST_MAX. */
    private static final int MAX_BYTES = 65_536;

    private static final MethodHandle GETXATTR = Libc.longFunction("getxattr", POINTER, POINTER, POINTER, LONG);
    private static final MethodHandle SETXATTR = Libc.intFunction("setxattr", POINTER, POINTER, POINTER, LONG, INT);
    private static final MethodHandle LISTXATTR = Libc.longFunction("listxattr", POINTER, POINTER, LONG);
    private static final MethodHandle REMOVEXATTR = Libc.intFunction("removexattr", POINTER, POINTER);

    private XattrCalls() {}

    public static byte[] get(Fd fd, byte[] name) throws ErrnoException {
        return read((memory, into, lengthBytes) -> (long) GETXATTR.invokeExact(
                memory.state, memory.path(fd.magicPath()), memory.secondPath(name), into, lengthBytes));
    }

    /**
     * Reads a value. Most values are small and are read into the thread's own memory. A longer value gets memory of the
     * length that it needs.
     */
    private static byte[] read(Reading reading) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            return read(reading, memory, memory.small);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ERANGE) {
                throw e;
            }
        }
        while (true) {
            long neededBytes = length(reading, memory);
            try (Arena arena = Arena.ofConfined()) {
                return read(reading, memory, arena.allocate(Math.max(1, neededBytes)));
            } catch (ErrnoException e) {
                // The value may have grown since its length was asked for.
                if (e.errno() != Errno.ERANGE || neededBytes >= MAX_BYTES) {
                    throw e;
                }
            }
        }
    }

    private static long length(Reading reading, CallMemory memory) throws ErrnoException {
        try {
            return Libc.check(reading.read(memory, MemorySegment.NULL, 0));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    private static byte[] read(Reading reading, CallMemory memory, MemorySegment into) throws ErrnoException {
        try {
            long length = Libc.check(reading.read(memory, into, into.byteSize()));
            return into.asSlice(0, length).toArray(JAVA_BYTE);
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    private interface Reading {
        long read(CallMemory memory, MemorySegment into, long lengthBytes) throws Throwable;
    }

    public static void set(Fd fd, byte[] name, byte[] value, int flags) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(Math.max(1, value.length));
            MemorySegment.copy(value, 0, copy, JAVA_BYTE, 0, value.length);
            Libc.check((int) SETXATTR.invokeExact(
                    memory.state,
                    memory.path(fd.magicPath()),
                    memory.secondPath(name),
                    copy,
                    (long) value.length,
                    flags));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** All names, each followed by a NUL. */
    public static byte[] list(Fd fd) throws ErrnoException {
        return read((memory, into, lengthBytes) ->
                (long) LISTXATTR.invokeExact(memory.state, memory.path(fd.magicPath()), into, lengthBytes));
    }

    public static void remove(Fd fd, byte[] name) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check(
                    (int) REMOVEXATTR.invokeExact(memory.state, memory.path(fd.magicPath()), memory.secondPath(name)));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }
}
