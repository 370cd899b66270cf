package org.warpnfs.fs.ceph;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.ceph.libcephfs.Inode;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.ceph.libcephfs.NameCalls;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** Makes calls in the mount that is in use, and leads from handles to inodes. Safe for many threads. */
final class Nodes {
    private static final byte[] SNAPSHOTS = {'.', 's', 'n', 'a', 'p'};

    private final Mounts mounts;
    private final OpenFiles openFiles;

    Nodes(Mounts mounts, OpenFiles openFiles) {
        this.mounts = mounts;
        this.openFiles = openFiles;
    }

    /** Calls of a mount. */
    @FunctionalInterface
    interface Calls<T> {
        T in(Mounted mounted) throws CephException, FsException;
    }

    /** Calls for one file. */
    @FunctionalInterface
    interface CallsOn<T> {
        T on(Node node) throws CephException, FsException;
    }

    /** Makes calls in the mount that is in use. */
    <T> T inMount(Calls<T> calls) throws FsException {
        return inMount(null, calls);
    }

    /**
     * Makes calls in the mount that is in use.
     *
     * @param handle the file that they are for; null if they are for none
     */
    <T> T inMount(@Nullable FileHandle handle, Calls<T> calls) throws FsException {
        Mounted mounted = mounts.enter();
        CallWaits.Call call = null;
        try {
            call = mounted.begin(handle);
            return calls.in(mounted);
        } catch (CephException e) {
            throw mounts.failure(mounted, e);
        } finally {
            if (call != null) {
                mounted.waits().end(call);
            }
            mounted.leave();
        }
    }

    /** Makes calls for the file of this handle. */
    <T> T with(FileHandle handle, CallsOn<T> calls) throws FsException {
        return with(handle, CephStatx.IDENTITY, calls);
    }

    /** The attributes of the file of this handle; those in a mask of CEPH_STATX_ are right. */
    FileAttributes attributes(FileHandle handle, int wanted) throws FsException {
        return with(handle, CephStatx.IDENTITY | wanted, node -> node.found().attributes());
    }

    private <T> T with(FileHandle handle, int wanted, CallsOn<T> calls) throws FsException {
        return inMount(handle, mounted -> {
            try (Node node = find(mounted, handle, wanted)) {
                return calls.on(node);
            }
        });
    }

    /** Makes calls for the directory of this handle; NOT_DIRECTORY if it is another file. */
    <T> T withDirectory(FileHandle handle, CallsOn<T> calls) throws FsException {
        return with(handle, node -> calls.on(node.requireDirectory()));
    }

    /**
     * Returns the file of this handle, to be closed.
     *
     * @throws FsException BAD_HANDLE, or STALE if the file is gone
     */
    Node find(Mounted mounted, FileHandle handle) throws CephException, FsException {
        return find(mounted, handle, CephStatx.IDENTITY);
    }

    private Node find(Mounted mounted, FileHandle handle, int wanted) throws CephException, FsException {
        Handles.Named named = Handles.parse(handle);
        if (named.fileSystem() != mounted.fileSystem()) {
            throw FsException.of(FsError.STALE);
        }
        try {
            Inode inode = inode(mounted, named);
            return checked(mounted, inode, named, handle, wanted);
        } catch (CephException e) {
            // Whatever the servers say of a number that they do not find.
            if (e.errno() == CephErrno.ENOENT || e.errno() == CephErrno.EINVAL) {
                throw FsException.of(FsError.STALE);
            }
            throw e;
        }
    }

    private static Inode inode(Mounted mounted, Handles.Named named) throws CephException {
        if (named.snapshot() != CephStatx.SNAPSHOT_DIRECTORY) {
            return InodeCalls.lookup(mounted.mount(), named.inode(), named.snapshot());
        }
        // Servers do not know this directory, which the library makes.
        Inode directory = InodeCalls.lookup(mounted.mount(), named.inode(), CephStatx.NO_SNAPSHOT);
        try {
            return NameCalls.lookup(mounted.mount(), directory, SNAPSHOTS, UserPerm.SUPERUSER)
                    .inode();
        } finally {
            InodeCalls.put(mounted.mount(), directory);
        }
    }

    private Node checked(Mounted mounted, Inode inode, Handles.Named named, FileHandle handle, int wanted)
            throws CephException, FsException {
        boolean good = false;
        try {
            CephStatx statx = InodeCalls.attributes(mounted.mount(), inode, wanted);
            // The library and the servers know a removed file for a while.
            good = statx.linkCount() > 0 || named.isSnapshot() || openFiles.isOpen(handle);
            if (!good) {
                throw FsException.of(FsError.STALE);
            }
            return new Node(mounted, inode, statx);
        } finally {
            if (!good) {
                InodeCalls.put(mounted.mount(), inode);
            }
        }
    }

    /** The inode of this number in this snapshot; the node has all attributes, and is to be closed. */
    static Node byNumber(Mounted mounted, long inode, long snapshot) throws CephException {
        Inode found = inode(mounted, new Handles.Named(mounted.fileSystem(), inode, snapshot));
        boolean read = false;
        try {
            Node node = new Node(mounted, found, InodeCalls.attributes(mounted.mount(), found, CephStatx.EVERYTHING));
            read = true;
            return node;
        } finally {
            if (!read) {
                InodeCalls.put(mounted.mount(), found);
            }
        }
    }

    /** Finds a name in a directory; the node has all attributes, and is to be closed. */
    static Node lookup(Node directory, byte[] name, UserPerm caller) throws CephException {
        return new Node(directory.mounted(), NameCalls.lookup(directory.mount(), directory.inode(), name, caller));
    }
}
