package org.warpnfs.fs.memory;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.PosixJudge;

/** Access control lists of an inode, by the rules of acl(5) and Linux. */
final class AclOperations {
    /** Approximate cost of a list, besides its entries. */
    private static final int LIST_BYTES = 128;

    private static final int ENTRY_BYTES = 64;
    private static final int MODE_BITS = 0777;
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
            PosixAcl access = after(changes.access(), inode.acls.access());
            Acls replaced = inode.acls;
            Acls wanted = new Acls(
                    access == null || access.isMinimal() ? null : access,
                    after(changes.inherited(), inode.acls.inherited()));
            heap.take(costBytes(wanted));
            heap.giveBack(costBytes(replaced));
            inode.acls = wanted;
            if (changes.access() instanceof Change.Replace(var acl)) {
                int kept = PosixJudge.settablePermissions(caller, inode.gid, inode.permissions);
                inode.permissions = (kept & ~MODE_BITS) | acl.permissionBits();
            }
            inode.attributesChanged();
            return inode.attributes();
        } finally {
            inode.lock.writeLock().unlock();
        }
    }

    private static @Nullable PosixAcl after(Change change, @Nullable PosixAcl before) throws FsException {
        return switch (change) {
            case Change.Keep _ -> before;
            case Change.Remove _ -> null;
            case Change.Replace(var acl) -> {
                if (acl.entryCount() > MAX_ENTRIES) {
                    throw FsException.of(FsError.NO_SPACE);
                }
                yield acl;
            }
        };
    }

    /** What a new file of {@code type} in {@code directory} inherits if it is made with {@code permissions}. */
    static Inherited inherited(DirectoryInode directory, FileType type, int permissions) {
        PosixAcl template = directory.acls().inherited();
        if (template == null || type == FileType.SYMLINK) {
            return new Inherited(permissions, Acls.NONE);
        }
        PosixAcl access = template.inherited(permissions);
        return new Inherited(
                (permissions & ~MODE_BITS) | access.permissionBits(),
                new Acls(access.isMinimal() ? null : access, type == FileType.DIRECTORY ? template : null));
    }

    /** Charges a new inode for what it inherited. */
    void charge(Inode inode) throws FsException {
        heap.take(costBytes(inode.acls));
    }

    /** Returns what the lists of a removed inode were charged. */
    void release(Inode inode) {
        heap.giveBack(costBytes(inode.acls));
        inode.acls = Acls.NONE;
    }

    private static long costBytes(Acls acls) {
        return costBytes(acls.access()) + costBytes(acls.inherited());
    }

    private static long costBytes(@Nullable PosixAcl acl) {
        return acl == null ? 0 : LIST_BYTES + (long) ENTRY_BYTES * acl.entryCount();
    }

    /** Permissions and lists that a new file gets from its directory. */
    record Inherited(int permissions, Acls acls) {}
}
