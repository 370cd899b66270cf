package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.Protection;

/**
 * Permissions are judged here, before a call that the server then makes as itself; the kernel judges the server besides. So a
 * caller gets what both allow.
 */
final class SoftwareAuthority implements Authority {
    private final AttributeReader attributes;

    SoftwareAuthority(AttributeReader attributes) {
        this.attributes = attributes;
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
                caller, Protection.of(attributes.read(directory), null), Protection.of(attributes.read(file), null));
    }

    /** Permissions and access control list; the list is not looked for where it has no say. */
    private Protection judged(Caller caller, Fd file) throws FsException {
        FileAttributes plain = attributes.read(file);
        return Protection.of(
                plain,
                caller.isSuperuser() || caller.uid() == plain.uid() ? null : AclXattrs.get(file, AclXattrs.ACCESS));
    }
}
