package org.warpnfs.fs.ceph;

import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;

/**
 * The directories that hold directories, never one outside the export.
 *
 * <pre>
 * directory                        its parent
 * the exported one                 itself
 * DIR/.snap                        DIR
 * the exported one in a snapshot   its .snap
 * another one in a snapshot        what holds it now, in the same snapshot; its own .snap if that was not there
 * any other                        what holds it, if the exported directory is above that
 * </pre>
 *
 * The library is not believed alone: it asks for the parent of an inode without its snapshot if it does not remember
 * the name, and answers with a directory as it is now, also above the mounted one.
 */
final class Parents {
    private static final byte[] PARENT = {'.', '.'};

    /** No path that a client can use is deeper. */
    private static final int MAX_DEPTH = 2048;

    private Parents() {}

    /** @throws FsException STALE if the directory is no longer within the export */
    static FileNode of(Caller caller, Node directory) throws CephException, FsException {
        PosixJudge.require(caller, directory.protection(caller), Permission.EXECUTE);
        Handles.Named root = directory.mounted().rootName();
        long inode = directory.statx().inode();
        long snapshot = directory.statx().snapshot();
        if (inode == root.inode() && snapshot == root.snapshot()) {
            return new FileNode(directory.handle(), directory.attributes());
        }
        if (root.isSnapshot() && snapshot != root.snapshot()) {
            // In an export of a snapshot nothing else is reached.
            throw FsException.of(FsError.STALE);
        }
        if (snapshot == CephStatx.SNAPSHOT_DIRECTORY) {
            return byNumber(directory, inode, CephStatx.NO_SNAPSHOT);
        }
        if (snapshot != CephStatx.NO_SNAPSHOT) {
            return inode == root.inode()
                    ? byNumber(directory, inode, CephStatx.SNAPSHOT_DIRECTORY)
                    : inSnapshot(directory, inode, snapshot);
        }
        try (Node found = Nodes.lookup(directory, PARENT, UserPerm.SUPERUSER)) {
            requireInside(found);
            return found.found();
        }
    }

    private static FileNode inSnapshot(Node directory, long inode, long snapshot) throws CephException, FsException {
        long holder;
        try (Node found = Nodes.lookup(directory, PARENT, UserPerm.SUPERUSER)) {
            if (found.statx().snapshot() == snapshot) {
                return found.found();
            }
            if (found.statx().snapshot() == CephStatx.NO_SNAPSHOT) {
                requireInside(found);
            }
            holder = found.statx().inode();
        }
        if (holder == inode) {
            return byNumber(directory, inode, CephStatx.SNAPSHOT_DIRECTORY);
        }
        try {
            return byNumber(directory, holder, snapshot);
        } catch (CephException e) {
            if (e.errno() != CephErrno.ENOENT && e.errno() != CephErrno.EINVAL && e.errno() != CephErrno.ESTALE) {
                throw e;
            }
            return byNumber(directory, inode, CephStatx.SNAPSHOT_DIRECTORY);
        }
    }

    private static FileNode byNumber(Node near, long inode, long snapshot) throws CephException {
        try (Node found = Nodes.byNumber(near.mounted(), inode, snapshot)) {
            return found.found();
        }
    }

    /** Climbs from a directory as it is now to the exported one. Throws STALE if that is not above it. */
    private static void requireInside(Node directory) throws CephException, FsException {
        long root = directory.mounted().rootName().inode();
        long at = directory.statx().inode();
        Node held = null;
        try {
            for (int depth = 0; at != root; depth++) {
                Node above = Nodes.lookup(held == null ? directory : held, PARENT, UserPerm.SUPERUSER);
                if (held != null) {
                    held.close();
                }
                held = above;
                boolean isTop = above.statx().inode() == at;
                if (isTop || depth == MAX_DEPTH) {
                    throw FsException.of(FsError.STALE);
                }
                at = above.statx().inode();
            }
        } finally {
            if (held != null) {
                held.close();
            }
        }
    }
}
