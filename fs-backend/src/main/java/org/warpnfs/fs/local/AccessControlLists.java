package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAclXattr;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.Protection;

/** Reads and changes the access control lists of files. The kernel keeps the lists and the permissions consistent. */
final class AccessControlLists {
    private final TreeContext tree;
    private final boolean supported;

    AccessControlLists(TreeContext tree) {
        this.tree = tree;
        this.supported = AclXattrs.areSupported(tree.rootFd());
    }

    boolean areSupported() {
        return supported;
    }

    Acls read(FileHandle handle) throws FsException {
        requireSupported();
        try (Fd file = tree.open(handle)) {
            FileType type = AttributeReader.type(AttributeReader.statx(file));
            if (type == FileType.SYMLINK) {
                return Acls.NONE;
            }
            return new Acls(
                    AclXattrs.get(file, AclXattrs.ACCESS),
                    type == FileType.DIRECTORY ? AclXattrs.get(file, AclXattrs.DEFAULT) : null);
        }
    }

    FileAttributes change(Caller caller, FileHandle handle, AclChanges changes) throws FsException {
        requireSupported();
        try (Fd file = tree.open(handle);
                ChangeSync sync = tree.durability().ofAttributes(file)) {
            FileAttributes before = tree.attributes().read(file);
            PosixJudge.requireAclsSettable(caller, Protection.of(before, null), changes);
            boolean changed = false;
            try {
                if (changes.access() instanceof Change.Replace) {
                    changed = dropForeignSetGroupId(caller, file, before);
                }
                changed |= apply(caller, file, AclXattrs.ACCESS, changes.access());
                if (before.type() == FileType.DIRECTORY) {
                    apply(caller, file, AclXattrs.DEFAULT, changes.inherited());
                }
            } catch (ErrnoException e) {
                throw changed ? ChangeSync.afterChange(Failure.of(e)) : Failure.of(e);
            } finally {
                tree.noteIfPossible(file);
            }
            sync.sync();
            return tree.readAfterChange(file);
        }
    }

    private void requireSupported() throws FsException {
        if (!supported) {
            throw FsException.of(FsError.NOT_SUPPORTED);
        }
    }

    /** Returns true if {@code change} asks for a change. */
    private boolean apply(Caller caller, Fd file, byte[] name, Change change) throws FsException, ErrnoException {
        switch (change) {
            case Change.Keep _ -> {
                return false;
            }
            case Change.Remove _ ->
                RegularOpener.changePermissions(tree.authority(), caller, file, () -> remove(file, name));
            case Change.Replace(var acl) -> {
                byte[] value = PosixAclXattr.encode(acl);
                RegularOpener.changePermissions(
                        tree.authority(), caller, file, () -> XattrCalls.set(file, name, value, 0));
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
    private boolean dropForeignSetGroupId(Caller caller, Fd file, FileAttributes before)
            throws FsException, ErrnoException {
        if (tree.authority().actsAsCaller()) {
            return false;
        }
        int settable = PosixJudge.settablePermissions(caller, before.gid(), before.permissions());
        if (settable == before.permissions()) {
            return false;
        }
        AttributeCalls.chmod(file, settable);
        return true;
    }
}
