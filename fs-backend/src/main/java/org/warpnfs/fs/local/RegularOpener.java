package org.warpnfs.fs.local;

import com.google.common.util.concurrent.Striped;
import java.util.concurrent.locks.Lock;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.IdentityCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;

/** Opens regular files as the server's own user, after the server has checked permissions. */
final class RegularOpener {
    private static final int OWNER_READ_WRITE = 0600;

    /**
     * Held while a file has other permissions than it shall keep, and by those who change permissions. They are for all
     * trees, since a file may be in several. Two files rarely share one, so a file system that hangs holds up no other.
     */
    private static final Striped<Lock> PERMISSIONS = Striped.lazyWeakLock(1 << 16);

    private record Inode(long device, long number) {}

    private RegularOpener() {}

    /**
     * Opens a regular file that {@code file} has open as O_PATH; IS_DIRECTORY, SYMLINK or WRONG_TYPE if it is not
     * regular.
     */
    static Fd open(Fd file, int flags) throws FsException {
        Statx statx = AttributeReader.statx(file);
        requireRegular(statx);
        int quickly = flags | OpenCalls.O_NONBLOCK;
        try {
            return OpenCalls.reopen(file, quickly);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EACCES || statx.uid() != IdentityCalls.effectiveUser()) {
                throw Failure.of(e);
            }
        }
        return openOwn(file, lockOf(statx), quickly);
    }

    static void requireRegular(Statx statx) throws FsException {
        switch (AttributeReader.type(statx)) {
            case REGULAR -> {}
            case DIRECTORY -> throw FsException.of(FsError.IS_DIRECTORY);
            case SYMLINK -> throw FsException.of(FsError.SYMLINK);
            case BLOCK_DEVICE, CHARACTER_DEVICE, FIFO, SOCKET -> throw FsException.of(FsError.WRONG_TYPE);
        }
    }

    /**
     * Opens a file that belongs to the server's user and whose permissions forbid the access even to its owner. A
     * client that made a file read-only may still write to it. The file gets the missing permissions for the moment of
     * opening. Only its owner gains by that, which is the user of this process.
     */
    private static Fd openOwn(Fd file, Lock lock, int flags) throws FsException {
        lock.lock();
        try {
            int permissions = AttributeReader.statx(file).mode() & PosixJudge.PERMISSION_BITS;
            AttributeCalls.chmod(file, permissions | OWNER_READ_WRITE);
            try {
                return OpenCalls.reopen(file, flags);
            } finally {
                AttributeCalls.chmod(file, permissions);
            }
        } catch (ErrnoException e) {
            throw Failure.of(e);
        } finally {
            lock.unlock();
        }
    }

    /** Held by whoever changes the file's permissions, owner or lists. */
    static Lock lockOf(Statx statx) {
        return PERMISSIONS.get(new Inode(statx.fileSystemDevice(), statx.inode()));
    }

    /** Makes calls that change a file's permissions, as the caller, and not while {@link #openOwn} opens the file. */
    static void changePermissions(Authority authority, Caller caller, Fd file, Authority.ResultlessCalls calls)
            throws FsException, ErrnoException {
        if (authority.actsAsCaller()) {
            authority.runAs(caller, calls);
            return;
        }
        Lock lock = lockOf(AttributeReader.statx(file));
        lock.lock();
        try {
            authority.runAs(caller, calls);
        } finally {
            lock.unlock();
        }
    }
}
