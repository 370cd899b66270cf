package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Inodes by number, and their attributes. */
public final class InodeCalls {
    /** CEPH_SETATTR_ and the attribute. */
    public static final int SET_MODE = 1;

    public static final int SET_UID = 1 << 1;
    public static final int SET_GID = 1 << 2;
    public static final int SET_MTIME = 1 << 3;
    public static final int SET_ATIME = 1 << 4;
    public static final int SET_SIZE = 1 << 5;

    /** vinodeno_t: two numbers, passed by value. */
    private static final MemoryLayout VINODENO =
            MemoryLayout.structLayout(JAVA_LONG.withName("ino"), JAVA_LONG.withName("snapid"));

    private static final MethodHandle ROOT = Library.CEPHFS.intFunction("ceph_ll_lookup_root", POINTER, POINTER);
    private static final MethodHandle LOOKUP =
            Library.CEPHFS.intFunction("ceph_ll_lookup_vino", POINTER, VINODENO, POINTER);
    private static final MethodHandle PUT = Library.CEPHFS.intFunction("ceph_ll_put", POINTER, POINTER);
    private static final MethodHandle GETATTR =
            Library.CEPHFS.intFunction("ceph_ll_getattr", POINTER, POINTER, POINTER, INT, INT, POINTER);
    private static final MethodHandle SETATTR =
            Library.CEPHFS.intFunction("ceph_ll_setattr", POINTER, POINTER, POINTER, INT, POINTER);
    private static final MethodHandle SYNC = Library.CEPHFS.intFunction("ceph_ll_sync_inode", POINTER, POINTER, INT);
    private static final MethodHandle READLINK =
            Library.CEPHFS.intFunction("ceph_ll_readlink", POINTER, POINTER, POINTER, LONG, POINTER);

    private InodeCalls() {}

    /** The mounted directory. */
    public static Inode root(Mount mount) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) ROOT.invokeExact(mount.address, memory.pointer()));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return new Inode(memory.returned());
    }

    /** The inode of this number in this snapshot; ESTALE if there is none. */
    public static Inode lookup(Mount mount, long number, long snapshot) throws CephException {
        CallMemory memory = CallMemory.current();
        memory.small.set(JAVA_LONG, 0, number);
        memory.small.set(JAVA_LONG, 8, snapshot);
        try {
            Library.check((int) LOOKUP.invokeExact(mount.address, memory.small.asSlice(0, VINODENO), memory.pointer()));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return new Inode(memory.returned());
    }

    /** Gives a reference back. */
    public static void put(Mount mount, Inode inode) {
        try {
            int _ = (int) PUT.invokeExact(mount.address, inode.address());
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    /**
     * Reads attributes. Anybody may.
     *
     * @param wanted a mask of CEPH_STATX_, such as {@link CephStatx#EVERYTHING}
     */
    public static CephStatx attributes(Mount mount, Inode inode, int wanted) throws CephException {
        MemorySegment statx = CallMemory.current().statx;
        try {
            Library.check((int)
                    GETATTR.invokeExact(mount.address, inode.address(), statx, wanted, 0, UserPerm.SUPERUSER.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return CephStatx.parse(statx);
    }

    /** Sets the attributes that {@code mask} names, all at once. */
    public static void setAttributes(Mount mount, Inode inode, NewAttributes attributes, int mask, UserPerm caller)
            throws CephException {
        MemorySegment statx = CallMemory.current().statx;
        statx.fill((byte) 0);
        statx.set(JAVA_SHORT, CephStatx.MODE, (short) attributes.mode());
        statx.set(JAVA_INT, CephStatx.UID, (int) attributes.uid());
        statx.set(JAVA_INT, CephStatx.GID, (int) attributes.gid());
        statx.set(JAVA_LONG, CephStatx.SIZE, attributes.sizeBytes());
        statx.set(JAVA_LONG, CephStatx.ATIME, attributes.accessSeconds());
        statx.set(JAVA_LONG, CephStatx.ATIME + CephStatx.NANOS, attributes.accessNanos());
        statx.set(JAVA_LONG, CephStatx.MTIME, attributes.modifySeconds());
        statx.set(JAVA_LONG, CephStatx.MTIME + CephStatx.NANOS, attributes.modifyNanos());
        try {
            Library.check((int) SETATTR.invokeExact(mount.address, inode.address(), statx, mask, caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /**
     * New values for {@link #setAttributes}.
     *
     * @param accessSeconds Ceph keeps 32 bits without a sign
     */
    public record NewAttributes(
            int mode,
            long uid,
            long gid,
            long sizeBytes,
            long accessSeconds,
            long accessNanos,
            long modifySeconds,
            long modifyNanos) {}

    /**
     * Waits until every earlier change of the inode, of its contents and of a directory's names is on stable storage.
     */
    public static void sync(Mount mount, Inode inode) throws CephException {
        try {
            Library.check((int) SYNC.invokeExact(mount.address, inode.address(), 0));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** The target of a symbolic link. */
    public static byte[] readLink(Mount mount, Inode inode) throws CephException {
        MemorySegment into = CallMemory.current().path();
        try {
            int length = Library.check((int) READLINK.invokeExact(
                    mount.address, inode.address(), into, into.byteSize(), UserPerm.SUPERUSER.address));
            return into.asSlice(0, length).toArray(JAVA_BYTE);
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }
}
