package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.LONG;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Names: mkdirat, mknodat, symlinkat, readlinkat, linkat, unlinkat, renameat. */
public final class NameCalls {
    private static final int AT_REMOVEDIR = 0x200;
    /** PATH_MAX. No file system of Linux stores a longer target. */
    private static final int MAX_SYMLINK_BYTES = 4096;

    private static final MethodHandle MKDIRAT = Libc.intFunction("mkdirat", INT, POINTER, INT);
    private static final MethodHandle MKNODAT = Libc.intFunction("mknodat", INT, POINTER, INT, LONG);
    private static final MethodHandle SYMLINKAT = Libc.intFunction("symlinkat", POINTER, INT, POINTER);
    private static final MethodHandle READLINKAT = Libc.longFunction("readlinkat", INT, POINTER, POINTER, LONG);
    private static final MethodHandle LINKAT = Libc.intFunction("linkat", INT, POINTER, INT, POINTER, INT);
    private static final MethodHandle UNLINKAT = Libc.intFunction("unlinkat", INT, POINTER, INT);
    private static final MethodHandle RENAMEAT = Libc.intFunction("renameat", INT, POINTER, INT, POINTER);
    private static final MethodHandle RENAMEAT2 = Libc.intFunction("renameat2", INT, POINTER, INT, POINTER, INT);
    private static final int RENAME_NOREPLACE = 1;

    private NameCalls() {}

    public static void makeDirectory(Fd directory, byte[] name, int permissions) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) MKDIRAT.invokeExact(memory.state, directory.number(), memory.path(name), permissions));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** Makes a device, FIFO or socket. {@code mode} is type and permissions. */
    public static void makeNode(Fd directory, byte[] name, int mode, int deviceMajor, int deviceMinor)
            throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) MKNODAT.invokeExact(
                    memory.state, directory.number(), memory.path(name), mode, deviceNumber(deviceMajor, deviceMinor)));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** dev_t as gnu_dev_makedev composes it. */
    private static long deviceNumber(int major, int minor) {
        return (major & 0xfffL) << 8 | (major & 0xffff_f000L) << 32 | (minor & 0xffL) | (minor & 0xffff_ff00L) << 12;
    }

    public static void makeSymlink(byte[] target, Fd directory, byte[] name) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) SYMLINKAT.invokeExact(
                    memory.state, memory.path(target), directory.number(), memory.secondPath(name)));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** Reads the target of an open symbolic link; EINVAL or ENOENT on any other file. */
    public static byte[] readSymlink(Fd symlink) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(MAX_SYMLINK_BYTES);
            long length = Libc.check((long) READLINKAT.invokeExact(
                    memory.state, symlink.number(), memory.emptyPath(), target, target.byteSize()));
            return target.asSlice(0, length).toArray(JAVA_BYTE);
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** Gives an open file one more name. */
    public static void link(Fd file, Fd directory, byte[] name) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) LINKAT.invokeExact(
                    memory.state,
                    OpenCalls.AT_FDCWD,
                    memory.path(file.magicPath()),
                    directory.number(),
                    memory.secondPath(name),
                    AttributeCalls.AT_SYMLINK_FOLLOW));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    public static void unlink(Fd directory, byte[] name) throws ErrnoException {
        unlink(directory, name, 0);
    }

    public static void removeDirectory(Fd directory, byte[] name) throws ErrnoException {
        unlink(directory, name, AT_REMOVEDIR);
    }

    private static void unlink(Fd directory, byte[] name, int flags) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) UNLINKAT.invokeExact(memory.state, directory.number(), memory.path(name), flags));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    public static void rename(Fd from, byte[] fromName, Fd to, byte[] toName) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) RENAMEAT.invokeExact(
                    memory.state, from.number(), memory.path(fromName), to.number(), memory.secondPath(toName)));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** Gives a file of a directory another name there; EEXIST if a file has it already. */
    public static void renameToFree(Fd directory, byte[] name, byte[] newName) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) RENAMEAT2.invokeExact(
                    memory.state,
                    directory.number(),
                    memory.path(name),
                    directory.number(),
                    memory.secondPath(newName),
                    RENAME_NOREPLACE));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }
}
