package org.warpnfs.fs.memory;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Ownership;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.PosixJudge;

/** Access control lists of an inode, by the rules of acl(5) and Linux. */
final class AclOperations {
    /** Approximate cost of a list, besides its entries. */
    private static final int LIST_BYTES = 128;

    private static final int ENTRY_BYTES = 64;
    /** XATTR_SIZE_MAX in entries of 8 bytes: the limit of the largest file systems of Linux. */
    private static final int MAX_ENTRIES = 8191;

    private final Space heap;

    AclOperations(Space heap) {
        this.heap = heap;
    }

    FileAttributes change(Caller caller, Inode inode, AclChanges changes) throws FsException {
        inode.lock.writeLock().lock();
        try {
            PosixJudge.requireAclsSettable(caller, inode.protection(), changes);
            if (inode.gone) {
                throw FsException.of(FsError.STALE);
            }
            requireRoom(changes.access());
            requireRoom(changes.inherited());
            Ownership wanted = inode.ownership.after(caller, changes);
            heap.take(costBytes(wanted.acls()));
            heap.giveBack(costBytes(inode.ownership.acls()));
            inode.ownership = wanted;
            inode.attributesChanged();
            return inode.attributes();
        } finally {
            inode.lock.writeLock().unlock();
        }
    }

    private static void requireRoom(Change change) throws FsException {
        if (change instanceof Change.Replace(var acl) && acl.entryCount() > MAX_ENTRIES) {
            throw FsException.of(FsError.NO_SPACE);
        }
    }

    /** Charges a new inode for what it inherited. */
    void charge(Inode inode) throws FsException {
        heap.take(costBytes(inode.ownership.acls()));
    }

    /** Returns what the lists of a removed inode were charged. */
    void release(Inode inode) {
        heap.giveBack(costBytes(inode.ownership.acls()));
        Ownership was = inode.ownership;
        inode.ownership = new Ownership(was.permissions(), was.uid(), was.gid(), Acls.NONE);
    }

    private static long costBytes(Acls acls) {
        return costBytes(acls.access()) + costBytes(acls.inherited());
    }

    private static long costBytes(@Nullable PosixAcl acl) {
        return acl == null ? 0 : LIST_BYTES + (long) ENTRY_BYTES * acl.entryCount();
    }
}
