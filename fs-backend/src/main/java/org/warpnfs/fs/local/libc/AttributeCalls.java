package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Attributes: statx, chmod, fchownat, utimensat, faccessat. The descriptor may be O_PATH, also of a symbolic link. */
public final class AttributeCalls {
    /** For {@link #access}. */
    public static final int R_OK = 4;

    public static final int W_OK = 2;
    public static final int X_OK = 1;
    /** Id that {@link #chown} leaves unchanged. */
    public static final int UNCHANGED_ID = -1;
    /** Stands for the present in the nanoseconds of {@link #setTimes}. */
    public static final long UTIME_NOW = (1L << 30) - 1;
    /** Leaves a time unchanged, in the nanoseconds of {@link #setTimes}. */
    public static final long UTIME_OMIT = (1L << 30) - 2;

    static final int AT_EMPTY_PATH = 0x1000;
    static final int AT_SYMLINK_NOFOLLOW = 0x100;
    static final int AT_SYMLINK_FOLLOW = 0x400;

    private static final int AT_EACCESS = 0x200;
    private static final int AT_NO_AUTOMOUNT = 0x800;

    private static final MethodHandle STATX = Libc.intFunction("statx", INT, POINTER, INT, INT, POINTER);
    private static final MethodHandle CHMOD = Libc.intFunction("chmod", POINTER, INT);
    private static final MethodHandle FCHOWNAT = Libc.intFunction("fchownat", INT, POINTER, INT, INT, INT);
    private static final MethodHandle UTIMENSAT = Libc.intFunction("utimensat", INT, POINTER, POINTER, INT);
    private static final MethodHandle FACCESSAT = Libc.intFunction("faccessat", INT, POINTER, INT, INT);

    private static final MethodHandle UMASK = Libc.intFunction("umask", INT);

    private AttributeCalls() {}

    /**
     * Sets the process's umask to 0, for all of its threads. New files then get all permissions that they are made
     * with.
     */
    public static void clearUmask() {
        try {
            int before = (int) UMASK.invokeExact(CallMemory.current().state, 0);
            assert before >= 0;
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
    }

    public static Statx statx(Fd fd) throws ErrnoException {
        return statx(fd, Statx.EVERYTHING);
    }

    /**
     * Attributes of an open file.
     *
     * @param wanted a mask of STATX_; the type, the inode and the mount are always read. What is not wanted may be old
     *     or 0
     */
    public static Statx statx(Fd fd, int wanted) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        return statx(memory, fd, memory.emptyPath(), AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, wanted);
    }

    /** False if the file has lost its last name; true if nothing is known of it. */
    public static boolean hasName(Fd fd) {
        try {
            return statx(fd).linkCount() > 0;
        } catch (ErrnoException e) {
            return true;
        }
    }

    /** Attributes of the file that a directory has by this name, or of the symbolic link itself. */
    public static Statx statx(Fd directory, byte[] name, int wanted) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        return statx(memory, directory, memory.path(name), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, wanted);
    }

    private static Statx statx(CallMemory memory, Fd directory, MemorySegment path, int flags, int wanted)
            throws ErrnoException {
        int mask = wanted | Statx.ALWAYS;
        try {
            int result = (int) STATX.invokeExact(memory.state, directory.number(), path, flags, mask, memory.statx);
            Libc.check(result);
            return Statx.parse(memory.statx);
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    public static void chmod(Fd fd, int permissions) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) CHMOD.invokeExact(memory.state, memory.path(fd.magicPath()), permissions));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    public static void chown(Fd fd, int uid, int gid) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) FCHOWNAT.invokeExact(
                    memory.state, fd.number(), memory.emptyPath(), uid, gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** Sets times; nanoseconds may be {@link #UTIME_NOW} or {@link #UTIME_OMIT}. */
    public static void setTimes(Fd fd, long accessSeconds, long accessNanos, long modifySeconds, long modifyNanos)
            throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment times = memory.small;
        times.setAtIndex(JAVA_LONG, 0, accessSeconds);
        times.setAtIndex(JAVA_LONG, 1, accessNanos);
        times.setAtIndex(JAVA_LONG, 2, modifySeconds);
        times.setAtIndex(JAVA_LONG, 3, modifyNanos);
        try {
            Libc.check(
                    (int) UTIMENSAT.invokeExact(memory.state, fd.number(), memory.emptyPath(), times, AT_EMPTY_PATH));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** Checks access by the thread's effective and file system identity. */
    public static void access(Fd fd, int mode) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            Libc.check((int) FACCESSAT.invokeExact(
                    memory.state, fd.number(), memory.emptyPath(), mode, AT_EMPTY_PATH | AT_EACCESS));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }
}
