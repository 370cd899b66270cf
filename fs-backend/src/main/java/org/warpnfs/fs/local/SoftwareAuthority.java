package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
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
 * Checks permissions before each call, which the server then makes as itself. The kernel also checks the server's user.
 * So a caller gets only what both allow.
 */
final class SoftwareAuthority implements Authority {
    /** No caller has this id. A client may claim that its user is (uid_t) -1. */
    private static final long NOBODY_AT_ALL = -1;

    private final AttributeReader attributes;
    private final long unknownUid;
    private final long unknownGid;

    /**
     * Makes the authority for the process's user namespace.
     *
     * @param unknownUid owner that stat(2) shows for files whose owner has no id in the namespace; -1 if there are no
     *     such files
     * @param unknownGid the same for groups
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
    public boolean mayOpenAnyway(Caller caller, Statx statx) {
        return caller.isSuperuser() || (statx.uid() == caller.uid() && statx.uid() != unknownUid);
    }

    @Override
    public void requireOpenable(Caller caller, Fd file, Statx statx, OpenAccess access) throws FsException {
        PosixJudge.requireOpenable(caller, judged(caller, file), access);
    }

    @Override
    public void requireSettable(Caller caller, Fd file, AttributeChanges changes) throws FsException {
        Protection judged = judged(caller, file);
        PosixJudge.requireSettable(caller, judged, changes);
        if (!attributes.areMapped() && changes.uid() != null && changes.uid() != judged.uid()) {
            // Files that the server makes belong to its user and cannot be given away.
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

    /** Permissions and access control list. The list is not read where it has no effect. */
    private Protection judged(Caller caller, Fd file) throws FsException {
        if (attributes.areMapped()) {
            return attributes.protectionOfMapped(file);
        }
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
