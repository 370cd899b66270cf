package org.warpnfs.fs.ceph;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.ceph.libcephfs.Inode;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.ceph.libcephfs.NameCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.Protection;

/**
 * A reference to an inode, with what was read of it. Closing it gives the reference back. It does not outlive the use
 * of its mount.
 */
final class Node implements AutoCloseable {
    private final Mounted mounted;
    private final Inode inode;
    private final CephStatx statx;

    Node(Mounted mounted, NameCalls.Found found) {
        this(mounted, found.inode(), found.statx());
    }

    Node(Mounted mounted, Inode inode, CephStatx statx) {
        this.mounted = mounted;
        this.inode = inode;
        this.statx = statx;
    }

    Mounted mounted() {
        return mounted;
    }

    Mount mount() {
        return mounted.mount();
    }

    Inode inode() {
        return inode;
    }

    /** At least {@link CephStatx#IDENTITY}, as it was when the node was made. */
    CephStatx statx() {
        return statx;
    }

    FileType type() {
        return Attributes.type(statx.type());
    }

    FileHandle handle() {
        return Handles.of(mounted.fileSystem(), statx.inode(), statx.snapshot());
    }

    boolean isSameFile(Node other) {
        return statx.inode() == other.statx.inode() && statx.snapshot() == other.statx.snapshot();
    }

    /** The node of a call that returned all attributes. */
    FileNode found() {
        return new FileNode(handle(), Attributes.of(statx, mounted.fileSystem()));
    }

    /** Reads all attributes now. */
    FileAttributes attributes() throws CephException {
        return attributes(CephStatx.EVERYTHING);
    }

    /** Reads those in a mask of CEPH_STATX_ now. */
    FileAttributes attributes(int wanted) throws CephException {
        return Attributes.of(InodeCalls.attributes(mount(), inode, wanted), mounted.fileSystem());
    }

    /** What decides the caller's access. The list is not read where it has no say. */
    Protection protection(Caller caller) throws CephException, FsException {
        boolean listHasNoSay = caller.isSuperuser() || caller.uid() == statx.uid();
        return protection(listHasNoSay ? null : KeptAcl.of(mount(), inode, KeptAcl.ACCESS));
    }

    private Protection protection(@Nullable PosixAcl acl) {
        return new Protection(type(), statx.mode() & PosixJudge.PERMISSION_BITS, statx.uid(), statx.gid(), acl);
    }

    /** Throws NOT_DIRECTORY on any other file. */
    Node requireDirectory() throws FsException {
        if (type() != FileType.DIRECTORY) {
            throw FsException.of(FsError.NOT_DIRECTORY);
        }
        return this;
    }

    /** Throws READ_ONLY in a snapshot. */
    Node requireWritable() throws FsException {
        if (statx.snapshot() != CephStatx.NO_SNAPSHOT) {
            throw FsException.of(FsError.READ_ONLY);
        }
        return this;
    }

    /** Waits until every earlier change of the inode is on stable storage, after a change was made. */
    void settle() throws FsException {
        try {
            InodeCalls.sync(mount(), inode);
            mounted.requireKept();
        } catch (CephException e) {
            throw Failure.afterChange(e);
        }
    }

    @Override
    public void close() {
        InodeCalls.put(mount(), inode);
    }
}
