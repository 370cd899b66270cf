package org.warpnfs.fs.ceph.libcephfs;

import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The contents of files. */
public final class DataCalls {
    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;

    private static final MethodHandle OPEN =
            Library.CEPHFS.intFunction("ceph_ll_open", POINTER, POINTER, INT, POINTER, POINTER);
    private static final MethodHandle READ =
            Library.CEPHFS.intFunction("ceph_ll_read", POINTER, POINTER, LONG, LONG, POINTER);
    private static final MethodHandle WRITE =
            Library.CEPHFS.intFunction("ceph_ll_write", POINTER, POINTER, LONG, LONG, POINTER);
    private static final MethodHandle FSYNC = Library.CEPHFS.intFunction("ceph_ll_fsync", POINTER, POINTER, INT);
    private static final MethodHandle CLOSE = Library.CEPHFS.intFunction("ceph_ll_close", POINTER, POINTER);

    private DataCalls() {}

    /** Opens a regular file. {@code flags} are those of open(2). */
    public static Fh open(Mount mount, Inode inode, int flags, UserPerm caller) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check(
                    (int) OPEN.invokeExact(mount.address, inode.address(), flags, memory.pointer(), caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return new Fh(memory.returned());
    }

    /** Reads once into native memory. The result may be short; it is 0 where the file ends. */
    public static int read(Mount mount, Fh file, MemorySegment sink, long offset) throws CephException {
        try {
            return Library.check((int) READ.invokeExact(mount.address, file.address(), offset, sink.byteSize(), sink));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Writes once from native memory. The result may be short. */
    public static int write(Mount mount, Fh file, MemorySegment source, long offset) throws CephException {
        try {
            return Library.check(
                    (int) WRITE.invokeExact(mount.address, file.address(), offset, source.byteSize(), source));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Waits until all that was written to the file, through whatever opening, is on stable storage. */
    public static void fsync(Mount mount, Fh file) throws CephException {
        try {
            Library.check((int) FSYNC.invokeExact(mount.address, file.address(), 0));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /**
     * Closes the file.
     *
     * @return 0, or the error number of an earlier write that could not be brought to the cluster
     */
    public static int close(Mount mount, Fh file) {
        try {
            return -(int) CLOSE.invokeExact(mount.address, file.address());
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }
}
