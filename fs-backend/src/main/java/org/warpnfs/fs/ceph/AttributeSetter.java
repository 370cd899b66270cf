package org.warpnfs.fs.ceph;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls.NewAttributes;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Timestamp;

/**
 * Sets attributes: all of a call at once, so that no reader and no crash sees a part of them. The rules of POSIX say
 * first who may; then the call is made as the caller, so that the cluster can refuse it too.
 */
final class AttributeSetter {
    /** (uid_t) -1. */
    private static final long NO_ID = 0xffff_ffffL;
    /** Ceph keeps seconds in 32 bits without a sign. */
    private static final long LAST_SECOND = 0xffff_ffffL;

    private AttributeSetter() {}

    /** Sets the attributes and waits until they are on stable storage. */
    static FileAttributes set(Caller caller, Node file, AttributeChanges changes) throws CephException, FsException {
        file.requireWritable();
        try (UserPerm _ = Identity.of(caller)) {
            change(caller, file, changes);
            settle(file, changes);
        }
        return file.attributes();
    }

    private static void settle(Node file, AttributeChanges changes) throws FsException {
        try {
            file.settle();
        } catch (FsException e) {
            throw e.after(changes);
        }
    }

    /** Sets the attributes alone. */
    static void change(Caller caller, Node file, AttributeChanges changes) throws CephException, FsException {
        PosixJudge.requireSettable(caller, file.protection(caller), changes);
        requireId(changes.uid());
        requireId(changes.gid());
        FileAttributes before = Attributes.of(file.statx(), file.mounted().fileSystem());
        FileAttributes after = PosixRules.afterChange(caller, before, changes, now(), 0);
        int mask = (after.permissions() == before.permissions() ? 0 : InodeCalls.SET_MODE)
                | (changes.uid() == null ? 0 : InodeCalls.SET_UID)
                | (changes.gid() == null ? 0 : InodeCalls.SET_GID)
                | (changes.sizeBytes() == null ? 0 : InodeCalls.SET_SIZE)
                | (changes.accessTime() == null ? 0 : InodeCalls.SET_ATIME)
                | (changes.modifyTime() == null ? 0 : InodeCalls.SET_MTIME);
        if (changes.permissions() != null && file.type() != FileType.SYMLINK) {
            mask |= InodeCalls.SET_MODE;
        }
        if (mask == 0) {
            return;
        }
        Timestamp access = kept(changes.accessTime());
        Timestamp modify = kept(changes.modifyTime());
        NewAttributes values = new NewAttributes(
                file.statx().type() | after.permissions(),
                after.uid(),
                after.gid(),
                after.sizeBytes(),
                access.seconds(),
                access.nanos(),
                modify.seconds(),
                modify.nanos());
        apply(caller, file, values, mask);
    }

    private static void apply(Caller caller, Node file, NewAttributes values, int mask) throws CephException {
        try (UserPerm identity = Identity.of(caller)) {
            InodeCalls.setAttributes(file.mount(), file.inode(), values, mask, identity);
        } catch (CephException e) {
            if (caller.isSuperuser() || (e.errno() != CephErrno.EACCES && e.errno() != CephErrno.EPERM)) {
                throw e;
            }
            // NFS lets an owner set the length of a file that it may not write, and a writer set one time to now.
            InodeCalls.setAttributes(file.mount(), file.inode(), values, mask, UserPerm.SUPERUSER);
        }
    }

    /** Sets permissions that were judged already. */
    static void setPermissions(Node file, int permissions) throws CephException {
        NewAttributes values = new NewAttributes(file.statx().type() | permissions, 0, 0, 0, 0, 0, 0, 0);
        InodeCalls.setAttributes(file.mount(), file.inode(), values, InodeCalls.SET_MODE, UserPerm.SUPERUSER);
    }

    /** Clears set-user-id and set-group-id when others than the superuser write. */
    static void dropPrivileges(Caller caller, Node file) throws CephException {
        CephStatx statx = file.statx();
        int before = statx.mode() & PosixJudge.PERMISSION_BITS;
        int after = PosixJudge.permissionsAfterWrite(caller, before);
        if (after != before) {
            setPermissions(file, after);
        }
    }

    private static void requireId(@Nullable Long id) throws FsException {
        if (id != null && (id >>> 32 != 0 || id == NO_ID)) {
            throw FsException.of(FsError.INVALID);
        }
    }

    private static Timestamp now() {
        return Timestamp.of(Instant.now());
    }

    /** The time as Ceph can keep it: the nearest one that it has. */
    private static Timestamp kept(@Nullable TimeChange change) {
        return switch (change) {
            case null -> new Timestamp(0, 0);
            case TimeChange.ToServerTime _ -> now();
            case TimeChange.To to when to.time().seconds() < 0 -> new Timestamp(0, 0);
            case TimeChange.To to when to.time().seconds() > LAST_SECOND -> new Timestamp(LAST_SECOND, 999_999_999);
            case TimeChange.To to -> to.time();
        };
    }
}
