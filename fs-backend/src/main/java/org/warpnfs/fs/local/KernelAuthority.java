package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;

/**
 * Leaves all checks to the kernel, including access control lists. The server is root and makes each call as its
 * caller.
 */
final class KernelAuthority implements Authority {
    private static final int S_ISGID = 02000;

    private final CallerIdentity identity = new CallerIdentity();
    private final long unknownUid;

    /**
     * Makes the authority for the process's user namespace.
     *
     * @param unknownUid owner that stat(2) shows for files whose owner has no id in the namespace; -1 if there are no
     *     such files
     */
    KernelAuthority(long unknownUid) {
        this.unknownUid = unknownUid;
    }

    @Override
    public CallerIdentity.Assumed assume(Caller caller) throws FsException {
        return identity.assume(caller);
    }

    /**
     * The user alone takes away set-id bits and the use of reserved blocks, in a third of the system calls. (A group
     * that may use reserved blocks of ext4, by tune2fs -g, counts only if it is the server's own.) Groups count only
     * for a set-group-ID bit of a file that its group may not execute.
     */
    @Override
    public void runAsWriter(Caller caller, int mode, ResultlessCalls calls) throws FsException, ErrnoException {
        if (caller.isSuperuser()) {
            // Who keeps both bits, and may use reserved blocks.
            calls.make();
            return;
        }
        boolean groupsCount = (mode & S_ISGID) != 0;
        CallerIdentity.Assumed assumed = groupsCount ? identity.assume(caller) : identity.assumeUser(caller);
        try {
            calls.make();
        } finally {
            assumed.close();
        }
    }

    @Override
    public boolean actsAsCaller() {
        return true;
    }

    @Override
    public boolean has(Caller caller, Fd file, Permission permission) throws FsException {
        int mode =
                switch (permission) {
                    case READ -> AttributeCalls.R_OK;
                    case WRITE -> AttributeCalls.W_OK;
                    case EXECUTE -> AttributeCalls.X_OK;
                };
        return allows(caller, file, mode);
    }

    private boolean owns(Caller caller, Statx statx) {
        return statx.uid() == caller.uid() && statx.uid() != unknownUid;
    }

    private boolean allows(Caller caller, Fd file, int mode) throws FsException {
        try {
            runAs(caller, () -> AttributeCalls.access(file, mode));
            return true;
        } catch (ErrnoException e) {
            return switch (e.errno()) {
                case Errno.EACCES, Errno.EPERM, Errno.EROFS, Errno.ETXTBSY -> false;
                default -> throw Failure.of(e);
            };
        }
    }

    @Override
    public boolean mayOpenAnyway(Caller caller, Statx statx) {
        return caller.isSuperuser() || owns(caller, statx);
    }

    @Override
    public void requireOpenable(Caller caller, Fd file, Statx statx, OpenAccess access) throws FsException {
        if (mayOpenAnyway(caller, statx)) {
            return;
        }
        int mode = (access.reads() ? AttributeCalls.R_OK : 0) | (access.writes() ? AttributeCalls.W_OK : 0);
        if (!allows(caller, file, mode)) {
            if (access.writes() || !allows(caller, file, AttributeCalls.X_OK)) {
                throw FsException.of(FsError.ACCESS);
            }
        }
    }

    /**
     * Checks a new length only. It is set through a descriptor that the server opened, so the kernel does not check the
     * caller.
     */
    @Override
    public void requireSettable(Caller caller, Fd file, AttributeChanges changes) throws FsException {
        if (changes.sizeBytes() != null) {
            if (!owns(caller, AttributeReader.statx(file)) && !allows(caller, file, AttributeCalls.W_OK)) {
                throw FsException.of(FsError.ACCESS);
            }
        }
    }

    @Override
    public void require(Caller caller, Fd file, Permission permission) {}

    @Override
    public void requireModifiable(Caller caller, Fd directory) {}

    @Override
    public void requireRemovable(Caller caller, Fd directory, Fd file) {}
}
