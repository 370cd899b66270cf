package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.Protection;

/**
 * Permissions are judged here, before a call that the server then makes as itself; the kernel judges the server
 * besides. So a caller gets what both allow.
 */
final class SoftwareAuthority implements Authority {
    /** (uid_t) -1: nobody's. */
    private static final long NOBODY_AT_ALL = 0xffff_ffffL;

    private final AttributeReader attributes;
    private final long unknownUid;
    private final long unknownGid;

    /**
     * For a process's user namespace.
     *
     * @param unknownUid what stat(2) says of owners that have no id in it; -1 if there are none
     * @param unknownGid likewise of groups
     */
    SoftwareAuthority(AttributeReader attributes, long unknownUid, long unknownGid) {
        this.attributes = attributes;
        this.unknownUid = unknownUid;
        this.unknownGid = unknownGid;
    }

    @Override
    public CallerIdentity.Assumed assume(Caller caller) {
        return CallerIdentity.Assumed.NOTHING;
    }

    @Override
    public boolean actsAsCaller() {
        return false;
    }

    @Override
    public boolean has(Caller caller, Fd file, Permission permission) throws FsException {
        return PosixJudge.has(caller, judged(caller, file), permission);
    }

    @Override
    public void requireOpenable(Caller caller, Fd file, OpenAccess access) throws FsException {
        PosixJudge.requireOpenable(caller, judged(caller, file), access);
    }

    @Override
    public void requireSettable(Caller caller, Fd file, AttributeChanges changes) throws FsException {
        Protection judged = judged(caller, file);
        PosixJudge.requireSettable(caller, judged, changes);
        if (changes.uid() != null && changes.uid() != judged.uid()) {
            // What the server makes is its user's, and stays so.
            throw FsException.of(FsError.NOT_PERMITTED);
        }
    }

    @Override
    public void require(Caller caller, Fd file, Permission permission) throws FsException {
        PosixJudge.require(caller, judged(caller, file), permission);
    }

    @Override
    public void requireModifiable(Caller caller, Fd directory) throws FsException {
        PosixJudge.requireModifiable(caller, judged(caller, directory));
    }

    @Override
    public void requireRemovable(Caller caller, Fd directory, Fd file) throws FsException {
        PosixJudge.requireRemovable(
                caller, judged(attributes.read(directory), null), judged(attributes.read(file), null));
    }

    /** Permissions and access control list; the list is not looked for where it has no say. */
    private Protection judged(Caller caller, Fd file) throws FsException {
        FileAttributes plain = attributes.read(file);
        boolean listHasNoSay = caller.isSuperuser() || (caller.uid() == plain.uid() && plain.uid() != unknownUid);
        return judged(plain, listHasNoSay ? null : AclXattrs.get(file, AclXattrs.ACCESS));
    }

    private Protection judged(FileAttributes plain, @Nullable PosixAcl acl) {
        return new Protection(
                plain.type(),
                plain.permissions(),
                plain.uid() == unknownUid ? NOBODY_AT_ALL : plain.uid(),
                plain.gid() == unknownGid ? NOBODY_AT_ALL : plain.gid(),
                acl);
    }
}
