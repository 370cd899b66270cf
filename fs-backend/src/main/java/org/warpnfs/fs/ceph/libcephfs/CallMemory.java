package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

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

    private static final int SMALL_BYTES = 1024;

    private static final ThreadLocal<CallMemory> CURRENT = ThreadLocal.withInitial(CallMemory::new);

    /** struct ceph_statx. */
    final MemorySegment statx;
    /** Small structures and values. */
    final MemorySegment small;

    private final MemorySegment pointer;
    private final MemorySegment secondPointer;
    private final MemorySegment firstName;
    private final MemorySegment secondName;

    private CallMemory() {
        Arena arena = Arena.ofAuto();
        statx = arena.allocate(CephStatx.LENGTH_BYTES, 8);
        pointer = arena.allocate(ADDRESS);
        secondPointer = arena.allocate(ADDRESS);
        small = arena.allocate(SMALL_BYTES, 8);
        firstName = arena.allocate(PATH_BYTES, 8);
        secondName = arena.allocate(PATH_BYTES, 8);
    }

    static CallMemory current() {
        return CURRENT.get();
    }

    /** Copies {@code name} as a C string; ENAMETOOLONG if it is too long. */
    MemorySegment name(byte[] name) throws CephException {
        return cString(firstName, name);
    }

    /** Copies a second argument, as {@link #name} does. */
    MemorySegment secondName(byte[] name) throws CephException {
        return cString(secondName, name);
    }

    /** Room for a path that a call returns. It is that of {@link #name}. */
    MemorySegment path() {
        return firstName;
    }

    private static MemorySegment cString(MemorySegment memory, byte[] name) throws CephException {
        if (name.length >= PATH_BYTES) {
            throw CephException.of(CephErrno.ENAMETOOLONG);
        }
        MemorySegment.copy(name, 0, memory, JAVA_BYTE, 0, name.length);
        memory.set(JAVA_BYTE, name.length, (byte) 0);
        return memory;
    }

    /**
     * Room for a pointer that a call returns, with none in it: calls that fail take what they find there for an open
     * file that they made.
     */
    MemorySegment pointer() {
        pointer.set(ADDRESS, 0, MemorySegment.NULL);
        return pointer;
    }

    /** Room for a second one. */
    MemorySegment secondPointer() {
        secondPointer.set(ADDRESS, 0, MemorySegment.NULL);
        return secondPointer;
    }

    /** What a call left in {@link #pointer}. */
    MemorySegment returned() {
        return pointer.get(ADDRESS, 0);
    }

    /** What a call left in {@link #secondPointer}. */
    MemorySegment secondReturned() {
        return secondPointer.get(ADDRESS, 0);
    }
}
