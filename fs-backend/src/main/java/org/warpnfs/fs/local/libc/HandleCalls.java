package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.warpnfs.fs.local.libc.Libc.INT;
import static org.warpnfs.fs.local.libc.Libc.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's file handles: name_to_handle_at, open_by_handle_at. struct file_handle:
 *
 * <pre>
 * offset  length  field
 *   0       4     handle_bytes
 *   4       4     handle_type
 *   8       .     f_handle
 * </pre>
 */
public final class HandleCalls {
    private static final int BYTES = 0;
    private static final int TYPE = 4;
    private static final int HANDLE = 8;
    private static final MethodHandle NAME_TO_HANDLE_AT =
            Libc.intFunction("name_to_handle_at", INT, POINTER, POINTER, POINTER, INT);
    private static final MethodHandle OPEN_BY_HANDLE_AT = Libc.intFunction("open_by_handle_at", INT, POINTER, INT);

    private HandleCalls() {}

    /** The kernel's handle of an open file; EOPNOTSUPP where the file system has no handles. */
    public static KernelHandle handleOf(Fd fd) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        return handleOf(memory, fd, memory.emptyPath(), AttributeCalls.AT_EMPTY_PATH);
    }

    /**
     * The kernel's handle of the file that a directory has by this name, or of the symbolic link itself; null if the
     * file is on another mount than {@code mountId}.
     */
    public static @Nullable KernelHandle handleOf(Fd directory, byte[] name, long mountId) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        KernelHandle handle = handleOf(memory, directory, memory.path(name), 0);
        return Integer.toUnsignedLong(memory.small.get(JAVA_INT, 0)) == mountId ? handle : null;
    }

    private static KernelHandle handleOf(CallMemory memory, Fd directory, MemorySegment path, int flags)
            throws ErrnoException {
        MemorySegment handle = memory.fileHandle;
        handle.set(JAVA_INT, BYTES, CallMemory.FILE_HANDLE_BYTES - HANDLE);
        try {
            Libc.check((int)
                    NAME_TO_HANDLE_AT.invokeExact(memory.state, directory.number(), path, handle, memory.small, flags));
        } catch (Throwable e) {
            throw Libc.failure(e);
        }
        int length = handle.get(JAVA_INT, BYTES);
        return new KernelHandle(
                handle.get(JAVA_INT, TYPE), handle.asSlice(HANDLE, length).toArray(JAVA_BYTE));
    }

    /** Opens a file by its handle on the file system of {@code mount}; ESTALE if the file is gone. */
    public static Fd open(Fd mount, KernelHandle handle, int flags) throws ErrnoException {
        CallMemory memory = CallMemory.current();
        MemorySegment in = memory.fileHandle;
        byte[] bytes = handle.bytes();
        if (bytes.length > CallMemory.FILE_HANDLE_BYTES - HANDLE) {
            throw ErrnoException.of(Errno.EINVAL);
        }
        for (int tries = 0; ; tries++) {
            // Written again for each attempt: relief of descriptor pressure may have used this memory.
            in.set(JAVA_INT, BYTES, bytes.length);
            in.set(JAVA_INT, TYPE, handle.type());
            MemorySegment.copy(bytes, 0, in, JAVA_BYTE, HANDLE, bytes.length);
            try {
                int result = (int)
                        OPEN_BY_HANDLE_AT.invokeExact(memory.state, mount.number(), in, flags | OpenCalls.O_CLOEXEC);
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
}
