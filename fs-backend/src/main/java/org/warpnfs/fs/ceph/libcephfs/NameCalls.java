package org.warpnfs.fs.ceph.libcephfs;

import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.invoke.MethodHandle;

/** Names in directories. Every call is judged by the identity of its caller. */
public final class NameCalls {
    private static final int O_RDWR = 02;
    private static final int O_CREAT = 0100;
    private static final int O_EXCL = 0200;

    private static final MethodHandle LOOKUP = Library.CEPHFS.intFunction(
            "ceph_ll_lookup", POINTER, POINTER, POINTER, POINTER, POINTER, INT, INT, POINTER);
    private static final MethodHandle CREATE = Library.CEPHFS.intFunction(
            "ceph_ll_create", POINTER, POINTER, POINTER, INT, INT, POINTER, POINTER, POINTER, INT, INT, POINTER);
    private static final MethodHandle MKDIR = Library.CEPHFS.intFunction(
            "ceph_ll_mkdir", POINTER, POINTER, POINTER, INT, POINTER, POINTER, INT, INT, POINTER);
    private static final MethodHandle MKNOD = Library.CEPHFS.intFunction(
            "ceph_ll_mknod", POINTER, POINTER, POINTER, INT, LONG, POINTER, POINTER, INT, INT, POINTER);
    private static final MethodHandle SYMLINK = Library.CEPHFS.intFunction(
            "ceph_ll_symlink", POINTER, POINTER, POINTER, POINTER, POINTER, POINTER, INT, INT, POINTER);
    private static final MethodHandle LINK =
            Library.CEPHFS.intFunction("ceph_ll_link", POINTER, POINTER, POINTER, POINTER, POINTER);
    private static final MethodHandle UNLINK =
            Library.CEPHFS.intFunction("ceph_ll_unlink", POINTER, POINTER, POINTER, POINTER);
    private static final MethodHandle RMDIR =
            Library.CEPHFS.intFunction("ceph_ll_rmdir", POINTER, POINTER, POINTER, POINTER);
    private static final MethodHandle RENAME =
            Library.CEPHFS.intFunction("ceph_ll_rename", POINTER, POINTER, POINTER, POINTER, POINTER, POINTER);

    private NameCalls() {}

    /** An inode that a call found or made, with its attributes. The reference has to be given back. */
    public record Found(Inode inode, CephStatx statx) {}

    /** Finds a name, which may be {@code ..}. Does not follow symbolic links. */
    public static Found lookup(Mount mount, Inode directory, byte[] name, UserPerm caller) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) LOOKUP.invokeExact(
                    mount.address,
                    directory.address(),
                    memory.name(name),
                    memory.pointer(),
                    memory.statx,
                    CephStatx.EVERYTHING,
                    0,
                    caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return found(memory);
    }

    /** Makes a regular file and closes it; EEXIST if the name is taken. */
    public static Found create(Mount mount, Inode directory, byte[] name, int permissions, UserPerm caller)
            throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) CREATE.invokeExact(
                    mount.address,
                    directory.address(),
                    memory.name(name),
                    permissions,
                    O_CREAT | O_EXCL | O_RDWR,
                    memory.pointer(),
                    memory.secondPointer(),
                    memory.statx,
                    CephStatx.EVERYTHING,
                    0,
                    caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        Found made = found(memory);
        DataCalls.close(mount, new Fh(memory.secondReturned()));
        return made;
    }

    public static Found makeDirectory(Mount mount, Inode directory, byte[] name, int permissions, UserPerm caller)
            throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) MKDIR.invokeExact(
                    mount.address,
                    directory.address(),
                    memory.name(name),
                    permissions,
                    memory.pointer(),
                    memory.statx,
                    CephStatx.EVERYTHING,
                    0,
                    caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return found(memory);
    }

    /**
     * Makes a device, a FIFO or a socket.
     *
     * @param mode type and permissions
     * @param device as makedev(3) makes it; 32 bits
     */
    public static Found makeNode(Mount mount, Inode directory, byte[] name, int mode, long device, UserPerm caller)
            throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) MKNOD.invokeExact(
                    mount.address,
                    directory.address(),
                    memory.name(name),
                    mode,
                    device,
                    memory.pointer(),
                    memory.statx,
                    CephStatx.EVERYTHING,
                    0,
                    caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return found(memory);
    }

    public static Found makeSymlink(Mount mount, Inode directory, byte[] name, byte[] target, UserPerm caller)
            throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) SYMLINK.invokeExact(
                    mount.address,
                    directory.address(),
                    memory.name(name),
                    memory.secondName(target),
                    memory.pointer(),
                    memory.statx,
                    CephStatx.EVERYTHING,
                    0,
                    caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return found(memory);
    }

    private static Found found(CallMemory memory) {
        return new Found(new Inode(memory.returned()), CephStatx.parse(memory.statx));
    }

    public static void link(Mount mount, Inode file, Inode directory, byte[] name, UserPerm caller)
            throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) LINK.invokeExact(
                    mount.address, file.address(), directory.address(), memory.name(name), caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Removes a name of a file that is not a directory. */
    public static void unlink(Mount mount, Inode directory, byte[] name, UserPerm caller) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check(
                    (int) UNLINK.invokeExact(mount.address, directory.address(), memory.name(name), caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    public static void removeDirectory(Mount mount, Inode directory, byte[] name, UserPerm caller)
            throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check(
                    (int) RMDIR.invokeExact(mount.address, directory.address(), memory.name(name), caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    public static void rename(Mount mount, Inode from, byte[] name, Inode to, byte[] newName, UserPerm caller)
            throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) RENAME.invokeExact(
                    mount.address,
                    from.address(),
                    memory.name(name),
                    to.address(),
                    memory.secondName(newName),
                    caller.address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }
}
