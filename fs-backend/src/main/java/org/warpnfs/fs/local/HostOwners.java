package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.NameCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAclXattr;
import org.warpnfs.fs.spi.PosixJudge;

/**
 * Owners, permissions and lists as the host's file system has them. The kernel keeps lists and permissions consistent.
 */
final class HostOwners implements Owners {
    private static final int PERMISSIONS_OF_MKDIR = 01777;

    private final Authority authority;

    HostOwners(Authority authority) {
        this.authority = authority;
    }

    @Override
    public boolean keepCallers() {
        return authority.actsAsCaller();
    }

    @Override
    public boolean set(Caller caller, Fd file, AttributeChanges changes) throws FsException, ErrnoException {
        Long uid = changes.uid();
        Long gid = changes.gid();
        boolean changed = false;
        try {
            if (uid != null || gid != null) {
                authority.runAs(caller, () -> AttributeCalls.chown(file, idOrUnchanged(uid), idOrUnchanged(gid)));
                changed = true;
            }
            Integer permissions = changes.permissions();
            // Linux has no permissions of a symbolic link and answers EOPNOTSUPP.
            if (permissions != null && AttributeReader.type(AttributeReader.statx(file)) != FileType.SYMLINK) {
                setPermissions(caller, file, permissions);
                changed = true;
            }
            return changed;
        } catch (ErrnoException e) {
            throw changed ? afterChown(changes, Failure.of(e)) : Failure.of(e);
        } catch (FsException e) {
            throw changed ? afterChown(changes, e) : e;
        }
    }

    private static FsException afterChown(AttributeChanges changes, FsException e) {
        return ChangeSync.afterChange(e)
                .after(new AttributeChanges(null, changes.uid(), changes.gid(), null, null, null));
    }

    private static int idOrUnchanged(@Nullable Long id) {
        return id == null ? AttributeCalls.UNCHANGED_ID : id.intValue();
    }

    private void setPermissions(Caller caller, Fd file, int permissions) throws FsException, ErrnoException {
        int wanted = permissions & PosixJudge.PERMISSION_BITS;
        int settable = authority.actsAsCaller()
                ? wanted
                : PosixJudge.settablePermissions(
                        caller, AttributeReader.statx(file).gid(), wanted);
        RegularOpener.changePermissions(authority, caller, file, () -> AttributeCalls.chmod(file, settable));
    }

    @Override
    public void setAcls(Caller caller, Fd file, AclChanges changes) throws FsException, ErrnoException {
        boolean changed = false;
        try {
            if (changes.access() instanceof Change.Replace) {
                changed = dropForeignSetGroupId(caller, file);
            }
            changed |= apply(caller, file, AclXattrs.ACCESS, changes.access());
            if (AttributeReader.type(AttributeReader.statx(file)) == FileType.DIRECTORY) {
                apply(caller, file, AclXattrs.DEFAULT, changes.inherited());
            }
        } catch (ErrnoException e) {
            throw changed ? ChangeSync.afterChange(Failure.of(e)) : Failure.of(e);
        }
    }

    /** Returns true if {@code change} asks for a change. */
    private boolean apply(Caller caller, Fd file, byte[] name, Change change) throws FsException, ErrnoException {
        switch (change) {
            case Change.Keep _ -> {
                return false;
            }
            case Change.Remove _ -> RegularOpener.changePermissions(authority, caller, file, () -> remove(file, name));
            case Change.Replace(var acl) -> {
                byte[] value = PosixAclXattr.encode(acl);
                RegularOpener.changePermissions(authority, caller, file, () -> XattrCalls.set(file, name, value, 0));
            }
        }
        return true;
    }

    private static void remove(Fd file, byte[] name) throws ErrnoException {
        try {
            XattrCalls.remove(file, name);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENODATA) {
                throw e;
            }
        }
    }

    /**
     * Clears set-group-id if the caller is not in the file's group. A kernel that acts as the caller does this by
     * itself, as in chmod(2).
     */
    private boolean dropForeignSetGroupId(Caller caller, Fd file) throws FsException, ErrnoException {
        if (authority.actsAsCaller()) {
            return false;
        }
        Statx before = AttributeReader.statx(file);
        int permissions = before.mode() & PosixJudge.PERMISSION_BITS;
        int settable = PosixJudge.settablePermissions(caller, before.gid(), permissions);
        if (settable == permissions) {
            return false;
        }
        AttributeCalls.chmod(file, settable);
        return true;
    }

    @Override
    public void beforeWrite(Caller caller, Fd file, KeptOwner kept) throws FsException, ErrnoException {
        if (authority.actsAsCaller() || caller.isSuperuser()) {
            return;
        }
        int seen = AttributeReader.statx(file).mode() & PosixJudge.PERMISSION_BITS;
        if (PosixJudge.permissionsAfterWrite(caller, seen) == seen) {
            return;
        }
        RegularOpener.changePermissions(authority, caller, file, () -> {
            int before = AttributeReader.statx(file).mode() & PosixJudge.PERMISSION_BITS;
            AttributeCalls.chmod(file, PosixJudge.permissionsAfterWrite(caller, before));
        });
    }

    @Override
    public Fd makeRegular(Caller caller, Fd directory, FileName name, int permissions)
            throws FsException, ErrnoException {
        int flags = OpenCalls.O_RDWR | OpenCalls.O_EXCL | OpenCalls.O_NOFOLLOW;
        int allowed = allowed(caller, permissions);
        return authority.as(caller, () -> OpenCalls.createAt(directory, name.toBytes(), flags, allowed));
    }

    @Override
    public Fd make(Caller caller, Fd directory, FileName name, NewNode node) throws FsException, ErrnoException {
        NewFile newFile;
        // The new file has to be opened afterwards. This descriptor is closed just before that, so that one is free.
        try (Fd _ = OpenCalls.reopen(directory, OpenCalls.O_PATH)) {
            newFile = new NewFile(node.type(), authority.actsAsCaller() ? caller.uid() : null);
            authority.runAs(caller, () -> make(directory, name.toBytes(), node, allowed(caller, node.permissions())));
        }
        return openMade(directory, name, newFile);
    }

    private static void make(Fd directory, byte[] name, NewNode node, int permissions) throws ErrnoException {
        switch (node.type()) {
            case DIRECTORY -> NameCalls.makeDirectory(directory, name, permissions & PERMISSIONS_OF_MKDIR);
            case SYMLINK -> NameCalls.makeSymlink(node.targetBytes(), directory, name);
            case REGULAR, BLOCK_DEVICE, CHARACTER_DEVICE, FIFO, SOCKET ->
                NameCalls.makeNode(
                        directory,
                        name,
                        AttributeReader.typeBits(node.type()) | permissions,
                        node.deviceMajor(),
                        node.deviceMinor());
        }
    }

    private static Fd openMade(Fd directory, FileName name, NewFile newFile) throws FsException {
        Fd made;
        try {
            made = OpenCalls.openAt(directory, name.toBytes(), OpenCalls.O_PATH | OpenCalls.O_NOFOLLOW);
        } catch (ErrnoException e) {
            throw ChangeSync.afterChange(Failure.of(e));
        }
        boolean isNew = false;
        try {
            newFile.require(directory, made);
            isNew = true;
            return made;
        } catch (FsException e) {
            throw ChangeSync.afterChange(e);
        } finally {
            if (!isNew) {
                made.close();
            }
        }
    }

    /** A file that will belong to the server's user must not be set-id: others could run it as the server's user. */
    private int allowed(Caller caller, int permissions) {
        return authority.actsAsCaller() || caller.isSuperuser()
                ? permissions
                : permissions & ~(PosixJudge.SET_UID | PosixJudge.SET_GID);
    }

    @Override
    public boolean hides(FileName name) {
        return false;
    }

    @Override
    public boolean removeLeftovers(Fd directory) {
        return false;
    }
}
