package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.LONG;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Extended attributes, by full name: getxattr and its kin. The descriptor may be one of O_PATH. */
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
        CallMemory memory = CallMemory.current();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(MAX_BYTES);
            long length = Libc.check((long) GETXATTR.invokeExact(
                    memory.state, memory.path(fd.magicPath()), memory.secondPath(name), value, value.byteSize()));
            return value.asSlice(0, length).toArray(JAVA_BYTE);
        } catch (ErrnoException e) {
            throw e;
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
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
        } catch (ErrnoException e) {
            throw e;
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
    }

    /** All names, each followed by a NUL. */
    public static byte[] list(Fd fd) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment names = arena.allocate(MAX_BYTES);
            long length = Libc.check(
                    (long) LISTXATTR.invokeExact(memory.state, memory.path(fd.magicPath()), names, names.byteSize()));
            return names.asSlice(0, length).toArray(JAVA_BYTE);
        } catch (ErrnoException e) {
            throw e;
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
    }

    public static void remove(Fd fd, byte[] name) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check(
                    (int) REMOVEXATTR.invokeExact(memory.state, memory.path(fd.magicPath()), memory.secondPath(name)));
        } catch (ErrnoException e) {
            throw e;
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
    }
}
