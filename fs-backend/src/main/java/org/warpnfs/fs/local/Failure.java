package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** Translates an errno to the error of the SPI. */
final class Failure {
    private Failure() {}

    static FsException of(ErrnoException e) {
        return FsException.of(error(e.errno()));
    }

    /**
     * The error of a call that adds a name to a directory. There, ENOENT means that the directory itself was removed
     * after it was opened.
     */
    static FsException ofAdding(ErrnoException e) {
        return e.errno() == Errno.ENOENT ? FsException.of(FsError.STALE) : of(e);
    }

    /**
     * The error of a sync. The change itself was made, so it cannot be tried again, and nothing more is known of it.
     * Only errors that a user can act on are distinguished.
     */
    static FsException ofSync(ErrnoException e) {
        return switch (e.errno()) {
            case Errno.ENOSPC, Errno.EDQUOT -> of(e);
            default -> FsException.of(FsError.IO);
        };
    }

    private static FsError error(int errno) {
        return switch (errno) {
            case Errno.EPERM -> FsError.NOT_PERMITTED;
            case Errno.ENOENT -> FsError.NO_ENTRY;
            case Errno.ENXIO, Errno.ENODEV -> FsError.NO_DEVICE;
            case Errno.E2BIG, Errno.ERANGE -> FsError.ATTRIBUTE_TOO_BIG;
            case Errno.EAGAIN, Errno.ENOMEM, Errno.ENFILE, Errno.EMFILE -> FsError.TRY_LATER;
            case Errno.EACCES -> FsError.ACCESS;
            case Errno.EBUSY, Errno.ETXTBSY -> FsError.BUSY;
            case Errno.EEXIST -> FsError.EXISTS;
            case Errno.EXDEV -> FsError.CROSS_DEVICE;
            case Errno.ENOTDIR -> FsError.NOT_DIRECTORY;
            case Errno.EISDIR -> FsError.IS_DIRECTORY;
            case Errno.EINVAL -> FsError.INVALID;
            case Errno.EFBIG, Errno.EOVERFLOW -> FsError.FILE_TOO_BIG;
            case Errno.ENOSPC -> FsError.NO_SPACE;
            case Errno.EROFS -> FsError.READ_ONLY;
            case Errno.EMLINK -> FsError.TOO_MANY_LINKS;
            case Errno.ENAMETOOLONG -> FsError.NAME_TOO_LONG;
            case Errno.ENOTEMPTY -> FsError.NOT_EMPTY;
            case Errno.EDQUOT -> FsError.QUOTA;
            case Errno.ENOLCK -> FsError.NO_LOCKS;
            case Errno.ESTALE -> FsError.STALE;
            case Errno.ELOOP -> FsError.SYMLINK;
            case Errno.ENODATA -> FsError.NO_ATTRIBUTE;
            case Errno.EOPNOTSUPP, Errno.ENOSYS, Errno.ENOTTY -> FsError.NOT_SUPPORTED;
            default -> FsError.IO;
        };
    }
}
