package org.warpnfs.fs.ceph.libcephfs;

import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.INT;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * One mount of a file system of Ceph: struct ceph_mount_info. Everything that was got through one mount is used with
 * that mount alone.
 */
public final class Mount {
    private static final MethodHandle CREATE = Library.CEPHFS.intFunction("ceph_create", POINTER, POINTER);
    private static final MethodHandle READ_CONF = Library.CEPHFS.intFunction("ceph_conf_read_file", POINTER, POINTER);
    private static final MethodHandle SET_CONF = Library.CEPHFS.intFunction("ceph_conf_set", POINTER, POINTER, POINTER);
    private static final MethodHandle SELECT = Library.CEPHFS.intFunction("ceph_select_filesystem", POINTER, POINTER);
    private static final MethodHandle MOUNT = Library.CEPHFS.intFunction("ceph_mount", POINTER, POINTER);
    private static final MethodHandle FS_CID = Library.CEPHFS.longFunction("ceph_get_fs_cid", POINTER);
    private static final MethodHandle INSTANCE = Library.CEPHFS.longFunction("ceph_get_instance_id", POINTER);
    private static final MethodHandle UMASK = Library.CEPHFS.intFunction("ceph_umask", POINTER, INT);
    private static final MethodHandle ABORT = Library.CEPHFS.intFunction("ceph_abort_conn", POINTER);
    private static final MethodHandle UNMOUNT = Library.CEPHFS.intFunction("ceph_unmount", POINTER);
    private static final MethodHandle RELEASE = Library.CEPHFS.intFunction("ceph_release", POINTER);
    private static final MethodHandle STATFS = Library.CEPHFS.intFunction("ceph_ll_statfs", POINTER, POINTER, POINTER);
    private static final MethodHandle INIT = Library.CEPHFS.intFunction("ceph_init", POINTER);
    private static final MethodHandle START_RECLAIM =
            Library.CEPHFS.intFunction("ceph_start_reclaim", POINTER, POINTER, INT);
    private static final MethodHandle FINISH_RECLAIM = Library.CEPHFS.voidFunction("ceph_finish_reclaim", POINTER);
    private static final MethodHandle SET_UUID = Library.CEPHFS.voidFunction("ceph_set_uuid", POINTER, POINTER);
    private static final MethodHandle OPEN = Library.CEPHFS.intFunction("ceph_open", POINTER, POINTER, INT, INT);
    private static final MethodHandle FD_CAPS = Library.CEPHFS.intFunction("ceph_debug_get_fd_caps", POINTER, INT);
    private static final MethodHandle VERSION =
            Library.CEPHFS.pointerFunction("ceph_version", POINTER, POINTER, POINTER);

    /** CEPH_RECLAIM_RESET: what the other client had is not wanted. */
    private static final int RECLAIM_RESET = 1;

    private static final int O_RDONLY_DIRECTORY = 0x10000;

    final MemorySegment address;

    private Mount(MemorySegment address) {
        this.address = address;
    }

    /** The version of the library, such as 16.2.15. */
    public static String libraryVersion() {
        MemorySegment small = CallMemory.current().small;
        try {
            MemorySegment _ = (MemorySegment) VERSION.invokeExact(small, small.asSlice(4), small.asSlice(8));
        } catch (Throwable e) {
            throw Library.broken(e);
        }
        return small.getAtIndex(java.lang.foreign.ValueLayout.JAVA_INT, 0) + "."
                + small.getAtIndex(java.lang.foreign.ValueLayout.JAVA_INT, 1) + "."
                + small.getAtIndex(java.lang.foreign.ValueLayout.JAVA_INT, 2);
    }

    /**
     * Makes a client of a cluster, which is not connected yet.
     *
     * @param id the name of a user of the cluster, without {@code client.}
     */
    public static Mount create(String id) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) CREATE.invokeExact(memory.pointer(), memory.name(bytes(id))));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return new Mount(memory.returned());
    }

    /** Reads a ceph.conf. */
    public void readConfiguration(String file) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) READ_CONF.invokeExact(address, memory.name(bytes(file))));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Sets one option of ceph.conf. */
    public void set(String option, String value) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check(
                    (int) SET_CONF.invokeExact(address, memory.name(bytes(option)), memory.secondName(bytes(value))));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Chooses one of the cluster's file systems. */
    public void selectFileSystem(String name) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) SELECT.invokeExact(address, memory.name(bytes(name))));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Begins with what was configured. Before {@link #replace} and {@link #setName}, which need it. */
    public void initialize() throws CephException {
        try {
            Library.check((int) INIT.invokeExact(address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /**
     * Makes the cluster end the mount that an earlier process has left under this name, which it would else keep, with
     * its locks, until it has heard nothing of it for minutes. Before {@link #mount}; waits for the metadata servers.
     */
    public void replace(String name) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            int result = (int) START_RECLAIM.invokeExact(address, memory.name(bytes(name)), RECLAIM_RESET);
            FINISH_RECLAIM.invokeExact(address);
            Library.check(result == -CephErrno.ENOENT ? 0 : result);
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Gives the mount a name by which {@link #replace} knows it. Before {@link #mount}. */
    public void setName(String name) throws CephException {
        try {
            SET_UUID.invokeExact(address, CallMemory.current().name(bytes(name)));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Opens the mounted directory, for {@link #capabilities}. It is closed with the mount. */
    public int openRoot() throws CephException {
        try {
            return Library.check(
                    (int) OPEN.invokeExact(address, CallMemory.current().name(bytes("/")), O_RDONLY_DIRECTORY, 0));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /**
     * The capabilities of the file that are in force now; asks nobody. 0 if the metadata server has ended the session,
     * or has not answered for long.
     */
    public int capabilities(int descriptor) throws CephException {
        try {
            return Library.check((int) FD_CAPS.invokeExact(address, descriptor));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Mounts the directory {@code path}. Waits for client_mount_timeout at most. */
    public void mount(byte[] path) throws CephException {
        CallMemory memory = CallMemory.current();
        try {
            Library.check((int) MOUNT.invokeExact(address, memory.name(path)));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** Sets which permissions new files of a mount do not get. */
    public void setUmask(int permissions) {
        try {
            int _ = (int) UMASK.invokeExact(address, permissions);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    /** The number of the file system in its cluster, which is never used again for another. */
    public long fileSystemNumber() throws CephException {
        try {
            return Library.check((long) FS_CID.invokeExact(address));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
    }

    /** The number by which the cluster knows this client. */
    public long clientNumber() {
        try {
            return (long) INSTANCE.invokeExact(address);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    /** Space and files, as {@code quotas} of the mounted directory limit them. */
    public CephStatvfs statistics(Inode inode) throws CephException {
        MemorySegment into = CallMemory.current().small;
        try {
            Library.check((int) STATFS.invokeExact(address, inode.address(), into));
        } catch (Throwable e) {
            throw Library.failure(e);
        }
        return CephStatvfs.parse(into);
    }

    /** Ends the mount without waiting for the cluster. What was not written yet is lost. */
    public void abort() {
        try {
            int _ = (int) ABORT.invokeExact(address);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    /** Ends the mount, after everything was written. Waits for the cluster. */
    public void unmount() {
        try {
            int _ = (int) UNMOUNT.invokeExact(address);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    /** Frees the client of a mount that was ended. */
    public void release() {
        try {
            int _ = (int) RELEASE.invokeExact(address);
        } catch (Throwable e) {
            throw Library.broken(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
