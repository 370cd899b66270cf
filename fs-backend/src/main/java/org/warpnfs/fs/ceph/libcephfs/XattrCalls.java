package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/** Extended attributes by full name. */
public final class XattrCalls {
    /** For {@link #set}. */
    public static final int XATTR_CREATE = 1;

    public static final int XATTR_REPLACE = 2;

    /** XATTR_SIZE_MAX and XATTR_LIST_MAX. */
    private static final int MAX_BYTES = 65_536;

    private static final MethodHandle GET =
            Library.CEPHFS.intFunction("ceph_ll_getxattr", POINTER, POINTER, POINTER, POINTER, LONG, POINTER);
    private static final MethodHandle SET =
            Library.CEPHFS.intFunction("ceph_ll_setxattr", POINTER, POINTER, POINTER, POINTER, LONG, INT, POINTER);
    private static final MethodHandle LIST =
            Library.CEPHFS.intFunction("ceph_ll_listxattr", POINTER, POINTER, POINTER, LONG, POINTER, POINTER);
    private static final MethodHandle REMOVE =
            Library.CEPHFS.intFunction("ceph_ll_removexattr", POINTER, POINTER, POINTER, POINTER);

    /** An attribute that each directory has, and that the library never answers from its memory. */
    private static final byte[] DIRECTORY_ENTRIES = "ceph.dir.rentries".getBytes(StandardCharsets.US_ASCII);

    private XattrCalls() {}

    /** Makes the library ask the metadata server how much is in a directory, even if it knows. */
    public static void refresh(Mount mount, Inode directory) throws CephException {
        byte[] _ = get(mount, directory, DIRECTORY_ENTRIES, UserPerm.SUPERUSER);
    }

    /** A value; ENODATA if there is none of that name. */
    public static byte[] get(Mount mount, Inode inode, byte[] name, UserPerm caller) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            return get(mount, inode, memory.name(name), memory.small, caller);
        } catch (CephException e) {
            if (e.errno() != CephErrno.ERANGE) {
                throw e;
            }
        }
        try (Arena arena = Arena.ofConfined()) {
            return get(mount, inode, memory.name(name), arena.allocate(MAX_BYTES), caller);
        }
    }

    private static byte[] get(Mount mount, Inode inode, MemorySegment name, MemorySegment into, UserPerm caller)
            throws CephException {
        try {
            int length = Library.check(
                    (int) GET.invokeExact(mount.address, inode.address(), name, into, into.byteSize(), caller.address));
            return into.asSlice(0, length).toArray(JAVA_BYTE);
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    public static void set(Mount mount, Inode inode, byte[] name, byte[] value, int flags, UserPerm caller)
            throws CephException {
        CallMemory memory = CallMemory.current();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(Math.max(1, value.length));
            MemorySegment.copy(value, 0, copy, JAVA_BYTE, 0, value.length);
            Library.check((int) SET.invokeExact(
                    mount.address,
                    inode.address(),
                    memory.name(name),
                    copy,
                    (long) value.length,
                    flags,
                    caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** All names, each followed by a NUL. */
    public static byte[] list(Mount mount, Inode inode, UserPerm caller) throws CephException {
        MemorySegment length = CallMemory.current().small;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment into = arena.allocate(MAX_BYTES);
            Library.check((int)
                    LIST.invokeExact(mount.address, inode.address(), into, into.byteSize(), length, caller.address));
            return into.asSlice(0, length.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    public static void remove(Mount mount, Inode inode, byte[] name, UserPerm caller) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) REMOVE.invokeExact(mount.address, inode.address(), memory.name(name), caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }
}
