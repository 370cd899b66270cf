package org.warpnfs.fs.local.libc;

import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * Opening and closing: openat, close. Every descriptor is close-on-exec, and a terminal never becomes the controlling
 * one.
 */
public final class OpenCalls {
    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 01;
    public static final int O_RDWR = 02;
    public static final int O_CREAT = 0100;
    public static final int O_EXCL = 0200;
    public static final int O_NONBLOCK = 04000;
    public static final int O_PATH = 010000000;
    public static final int O_DIRECTORY = Platform.current().openDirectory;
    public static final int O_NOFOLLOW = Platform.current().openNoFollow;

    /** Makes a file without a name, in the directory given. */
    public static final int O_TMPFILE = 020000000 | O_DIRECTORY;

    private static final int MFD_CLOEXEC = 1;
    /** Since Linux 6.3. Some hosts require it. */
    private static final int MFD_NOEXEC_SEAL = 8;

    static final int AT_FDCWD = -100;
    static final int O_CLOEXEC = 02000000;
    static final int O_NOCTTY = 0400;

    private static final byte[] SELF = ".".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] MEMORY_NAME = "warpnfs-trial".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PARENT = "..".getBytes(StandardCharsets.US_ASCII);
    private static final MethodHandle OPENAT = Libc.variadicIntFunction("openat", 3, INT, POINTER, INT, INT);
    private static final MethodHandle MEMFD_CREATE = Libc.intFunction("memfd_create", POINTER, INT);
    private static final MethodHandle CLOSE = Libc.intFunction("close", INT);

    private OpenCalls() {}

    /** Opens an absolute path. */
    public static Fd open(byte[] path, int flags) throws ErrnoException {
        return openAt(AT_FDCWD, path, flags, 0);
    }

    /** Opens a name in a directory. */
    public static Fd openAt(Fd directory, byte[] name, int flags) throws ErrnoException {
        return openAt(directory.number(), name, flags, 0);
    }

    /** Creates a file in a directory. */
    public static Fd createAt(Fd directory, byte[] name, int flags, int permissions) throws ErrnoException {
        return openAt(directory.number(), name, flags | O_CREAT, permissions);
    }

    /** Makes a file without a name on the file system of the directory. The file is gone after its last close. */
    public static Fd openNameless(Fd directory, int permissions) throws ErrnoException {
        return openAt(directory.number(), SELF, O_TMPFILE | O_RDWR, permissions);
    }

    /** Makes a file in memory that has an owner and permissions as any other. The file is gone after its last close. */
    public static Fd openInMemory() throws ErrnoException {
        try {
            return openInMemory(MFD_CLOEXEC | MFD_NOEXEC_SEAL);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EINVAL) {
                throw e;
            }
            return openInMemory(MFD_CLOEXEC);
        }
    }

    private static Fd openInMemory(int flags) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        try {
            return new Fd(Libc.check((int) MEMFD_CREATE.invokeExact(memory.state, memory.path(MEMORY_NAME), flags)));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
    }

    /** Opens the parent of a directory. */
    public static Fd openParent(Fd directory, int flags) throws ErrnoException {
        return openAt(directory.number(), PARENT, flags, 0);
    }

    /** Opens a directory again, by a lookup of "." in it. */
    public static Fd openSame(Fd directory, int flags) throws ErrnoException {
        return openAt(directory.number(), SELF, flags, 0);
    }

    /** Opens an open file again with other flags. The kernel checks access again. */
    public static Fd reopen(Fd open, int flags) throws ErrnoException {
        return openAt(AT_FDCWD, open.magicPath(), flags, 0);
    }

    private static Fd openAt(int directory, byte[] path, int flags, int permissions) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        for (int tries = 0; ; tries++) {
            try {
                int result = (int) OPENAT.invokeExact(
                        memory.state, directory, memory.path(path), flags | O_CLOEXEC | O_NOCTTY, permissions);
                return new Fd(Libc.check(result));
            } catch (ErrnoException e) {
                if (!DescriptorPressure.repeats(e, tries)) {
                    throw e;
                }
            } catch (Throwable e) {
                throw Libc.broken(e);
            }
        }
    }

    /** Closes a descriptor. Returns errno or 0; Linux has closed the descriptor in either case. */
    static int close(int number) {
        CallMemory memory = CallMemory.current();
        try {
            int result = (int) CLOSE.invokeExact(memory.state, number);
            return result == 0 ? 0 : memory.errno();
        } catch (Throwable e) {
            throw Libc.broken(e);
        }
    }
}
