package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Byte-range locks, which the metadata servers keep for all clients of the cluster. An owner is a number that means
 * something to one mount alone. Whether the file is open for writing does not matter.
 *
 * <p>struct flock of Linux on 64 bits:
 *
 * <pre>
 * offset  type   field
 *   0     short  l_type
 *   2     short  l_whence
 *   8     long   l_start
 *  16     long   l_len
 *  24     int    l_pid
 * </pre>
 */
public final class LockCalls {
    private static final short F_RDLCK = 0;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;
    private static final short SEEK_SET = 0;

    private static final long TYPE = 0;
    private static final long WHENCE = 2;
    private static final long START = 8;
    private static final long LENGTH = 16;
    private static final long FLOCK_BYTES = 32;

    private static final int DO_NOT_WAIT = 0;

    private static final MethodHandle SETLK =
            Library.CEPHFS.intFunction("ceph_ll_setlk", POINTER, POINTER, POINTER, LONG, INT);
    private static final MethodHandle GETLK =
            Library.CEPHFS.intFunction("ceph_ll_getlk", POINTER, POINTER, POINTER, LONG);

    private LockCalls() {}

    /**
     * A lock that is held.
     *
     * @param lengthBytes 0 for one without an end
     */
    public record Held(boolean exclusive, long start, long lengthBytes) {}

    /**
     * Locks a range, without waiting for another lock.
     *
     * @param lengthBytes 0 for a range without an end
     * @throws CephException EAGAIN if there is a conflicting lock
     */
    public static void lock(Mount mount, Fh file, long owner, boolean exclusive, long start, long lengthBytes)
            throws CephException {
        set(mount, file, owner, flock(exclusive ? F_WRLCK : F_RDLCK, start, lengthBytes));
    }

    /** Unlocks what the owner has locked of the range. */
    public static void unlock(Mount mount, Fh file, long owner, long start, long lengthBytes) throws CephException {
        set(mount, file, owner, flock(F_UNLCK, start, lengthBytes));
    }

    private static void set(Mount mount, Fh file, long owner, MemorySegment flock) throws CephException {
        try {
            int _ = Library.check((int) SETLK.invokeExact(mount.address, file.address(), flock, owner, DO_NOT_WAIT));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** A lock of another owner with which {@link #lock} would conflict; null if there is none. */
    public static @Nullable Held conflict(
            Mount mount, Fh file, long owner, boolean exclusive, long start, long lengthBytes) throws CephException {
        MemorySegment flock = flock(exclusive ? F_WRLCK : F_RDLCK, start, lengthBytes);
        try {
            int _ = Library.check((int) GETLK.invokeExact(mount.address, file.address(), flock, owner));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        short type = flock.get(JAVA_SHORT, TYPE);
        return type == F_UNLCK
                ? null
                : new Held(type == F_WRLCK, flock.get(JAVA_LONG, START), flock.get(JAVA_LONG, LENGTH));
    }

    private static MemorySegment flock(short type, long start, long lengthBytes) {
        MemorySegment flock = CallMemory.current().small.asSlice(0, FLOCK_BYTES);
        flock.fill((byte) 0);
        flock.set(JAVA_SHORT, TYPE, type);
        flock.set(JAVA_SHORT, WHENCE, SEEK_SET);
        flock.set(JAVA_LONG, START, start);
        flock.set(JAVA_LONG, LENGTH, lengthBytes);
        return flock;
    }
}
