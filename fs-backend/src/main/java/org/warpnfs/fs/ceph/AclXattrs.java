package org.warpnfs.fs.ceph;

import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.ceph.libcephfs.XattrCalls;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.PosixAclXattr;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.Protection;

/** Access control lists, which Ceph keeps as Linux does, together with the permissions. */
final class AclXattrs {
    private AclXattrs() {}

    static Acls read(Node file) throws CephException, FsException {
        if (file.type() == FileType.SYMLINK) {
            return Acls.NONE;
        }
        return new Acls(
                KeptAcl.of(file.mount(), file.inode(), KeptAcl.ACCESS),
                file.type() == FileType.DIRECTORY ? KeptAcl.of(file.mount(), file.inode(), KeptAcl.DEFAULT) : null);
    }

    static FileAttributes change(Caller caller, Node file, AclChanges changes) throws CephException, FsException {
        file.requireWritable();
        Protection before = file.protection(Caller.ROOT);
        PosixJudge.requireAclsSettable(caller, before, changes);
        if (changes.access() instanceof Change.Replace) {
            dropForeignSetGroupId(caller, file, before);
        }
        apply(file, KeptAcl.ACCESS, changes.access());
        if (before.type() == FileType.DIRECTORY) {
            apply(file, KeptAcl.DEFAULT, changes.inherited());
        }
        file.settle();
        return file.attributes();
    }

    /** Clears set-group-id if the caller is not in the file's group, as chmod(2) does. */
    private static void dropForeignSetGroupId(Caller caller, Node file, Protection before) throws CephException {
        int settable = PosixJudge.settablePermissions(caller, before.gid(), before.permissions());
        if (settable != before.permissions()) {
            AttributeSetter.setPermissions(file, settable);
        }
    }

    /** Who may is judged before; the library judges lists by other rules than the rest. */
    private static void apply(Node file, byte[] name, Change change) throws CephException, FsException {
        switch (change) {
            case Change.Keep _ -> {}
            case Change.Remove _ -> remove(file, name);
            case Change.Replace(var acl) -> set(file, name, acl);
        }
    }

    private static void set(Node file, byte[] name, PosixAcl acl) throws CephException, FsException {
        try {
            XattrCalls.set(file.mount(), file.inode(), name, PosixAclXattr.encode(acl), 0, UserPerm.SUPERUSER);
        } catch (CephException e) {
            if (e.errno() == CephErrno.E2BIG || e.errno() == CephErrno.ERANGE) {
                throw FsException.of(FsError.NO_SPACE);
            }
            throw e;
        }
    }

    private static void remove(Node file, byte[] name) throws CephException {
        try {
            XattrCalls.remove(file.mount(), file.inode(), name, UserPerm.SUPERUSER);
        } catch (CephException e) {
            if (e.errno() != CephErrno.ENODATA) {
                throw e;
            }
        }
    }
}
