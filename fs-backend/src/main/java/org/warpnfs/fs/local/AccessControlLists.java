package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.Protection;

/** Reads and changes the access control lists of files. The kernel keeps the lists and the permissions consistent. */
final class AccessControlLists {
    private final TreeContext tree;
    private final boolean supported;

    AccessControlLists(TreeContext tree) {
        this.tree = tree;
        this.supported = tree.attributes().areMapped() || AclXattrs.areSupported(tree.rootFd());
    }

    boolean areSupported() {
        return supported;
    }

    Acls read(FileHandle handle) throws FsException {
        requireSupported();
        try (Fd file = tree.open(handle)) {
            return tree.attributes().acls(file);
        }
    }

    FileAttributes change(Caller caller, FileHandle handle, AclChanges changes) throws FsException {
        requireSupported();
        try (Fd file = tree.open(handle);
                ChangeSync sync = tree.durability().ofAttributes(file)) {
            FileAttributes before = tree.attributes().read(file);
            PosixJudge.requireAclsSettable(caller, Protection.of(before, null), changes);
            try {
                tree.owners().setAcls(caller, file, changes);
            } catch (ErrnoException e) {
                throw Failure.of(e);
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
}
