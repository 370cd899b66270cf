package org.warpnfs.fs.local.libc;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.jspecify.annotations.Nullable;

/**
 * Memory for the arguments and results of one thread's calls, so that no call allocates.
 *
 * <h2>Buffers</h2>
 *
 * Each buffer belongs to a thread and lives as long as the thread. Its contents are valid until the same thread's next
 * call that uses the buffer. No buffer leaves the package.
 */
final class CallMemory {
    /** PATH_MAX, with room for a terminating NUL. */
    private static final int PATH_BYTES = 4096 + 8;
    /** MAX_HANDLE_SZ and the header of struct file_handle. */
    static final int FILE_HANDLE_BYTES = 8 + 128;
    /** Most of a directory that one call reads. */
    static final int DIRECTORY_BYTES = 32_768;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO_OFFSET = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<CallMemory> CURRENT = ThreadLocal.withInitial(CallMemory::new);

    /** Captured errno. */
    final MemorySegment state;
    /** struct statx. */
    final MemorySegment statx;
    /** struct file_handle. */
    final MemorySegment fileHandle;
    /** Small structures: timespecs, offsets, numbers. */
    final MemorySegment small;

    private final MemorySegment firstPath;
    private final MemorySegment secondPath;
    /** Allocated at the first use, since few threads read directories. */
    private @Nullable MemorySegment directoryEntries;

    private CallMemory() {
        Arena arena = Arena.ofAuto();
        state = arena.allocate(STATE);
        statx = arena.allocate(Statx.LENGTH_BYTES, 8);
        fileHandle = arena.allocate(FILE_HANDLE_BYTES, 8);
        small = arena.allocate(512, 8);
        firstPath = arena.allocate(PATH_BYTES, 8);
        secondPath = arena.allocate(PATH_BYTES, 8);
    }

    static CallMemory current() {
        return CURRENT.get();
    }

    int errno() {
        return state.get(JAVA_INT, ERRNO_OFFSET);
    }

    /** {@value #DIRECTORY_BYTES} bytes for records of struct linux_dirent64. */
    MemorySegment directoryEntries() {
        MemorySegment entries = directoryEntries;
        if (entries == null) {
            entries = Arena.ofAuto().allocate(DIRECTORY_BYTES, 8);
            directoryEntries = entries;
        }
        return entries;
    }

    /** Copies {@code path} as a C string; ENAMETOOLONG if it is too long. */
    MemorySegment path(byte[] path) throws ErrnoException {
        return cString(firstPath, path);
    }

    /** Copies a second path argument, as {@link #path} does. */
    MemorySegment secondPath(byte[] path) throws ErrnoException {
        return cString(secondPath, path);
    }

    private static MemorySegment cString(MemorySegment memory, byte[] path) throws ErrnoException {
        if (path.length >= PATH_BYTES) {
            throw ErrnoException.of(Errno.ENAMETOOLONG);
        }
        MemorySegment.copy(path, 0, memory, JAVA_BYTE, 0, path.length);
        memory.set(JAVA_BYTE, path.length, (byte) 0);
        return memory;
    }

    /** The empty path, which with AT_EMPTY_PATH stands for the descriptor itself. */
    MemorySegment emptyPath() {
        firstPath.set(JAVA_BYTE, 0, (byte) 0);
        return firstPath;
    }
}
