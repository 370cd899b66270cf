package org.warpnfs.fs.ceph;

import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** Translates an error number of Ceph to the error of the SPI. */
final class Failure {
    private Failure() {}

    static FsException of(CephException e) {
        return FsException.of(error(e.errno()));
    }

    /**
     * The error of what follows a change that was made: the change cannot be tried again, so it is not TRY_LATER. Only
     * errors that a user can act on are distinguished.
     */
    static FsException afterChange(CephException e) {
        return switch (e.errno()) {
            case CephErrno.ENOSPC, CephErrno.EDQUOT -> of(e);
            default -> FsException.of(FsError.IO, "Ceph: " + e.getMessage() + " after a change");
        };
    }

    /** True if a new mount is of no use: the cluster has ended it, or does not answer. */
    static boolean isUselessMount(CephException e) {
        return isLostMount(e) || e.errno() == CephErrno.ETIMEDOUT;
    }

    /** True if a metadata server may have refused this client a session, so that the library refuses everything. */
    static boolean isRefusedSession(CephException e) {
        return e.errno() == CephErrno.EPERM;
    }

    /** True if the OSDs may have refused what was written, so that the library keeps it and tries for ever. */
    static boolean isRefusedData(CephException e) {
        return e.errno() == CephErrno.EPERM || e.errno() == CephErrno.EACCES;
    }

    /** True if the cluster has ended this client's mount. */
    static boolean isLostMount(CephException e) {
        return e.errno() == CephErrno.ESHUTDOWN || e.errno() == CephErrno.ENOTCONN;
    }

    private static FsError error(int errno) {
        return switch (errno) {
            case CephErrno.EPERM -> FsError.NOT_PERMITTED;
            case CephErrno.ENOENT -> FsError.NO_ENTRY;
            case CephErrno.ENXIO -> FsError.NO_DEVICE;
            case CephErrno.E2BIG, CephErrno.ERANGE -> FsError.ATTRIBUTE_TOO_BIG;
            case CephErrno.EAGAIN, CephErrno.ENOMEM, CephErrno.EINTR -> FsError.TRY_LATER;
            case CephErrno.ETIMEDOUT, CephErrno.ENOTCONN, CephErrno.ESHUTDOWN -> FsError.TRY_LATER;
            case CephErrno.EACCES -> FsError.ACCESS;
            case CephErrno.EBUSY -> FsError.BUSY;
            case CephErrno.EEXIST -> FsError.EXISTS;
            case CephErrno.EXDEV -> FsError.CROSS_DEVICE;
            case CephErrno.ENOTDIR -> FsError.NOT_DIRECTORY;
            case CephErrno.EISDIR -> FsError.IS_DIRECTORY;
            case CephErrno.EINVAL -> FsError.INVALID;
            case CephErrno.EFBIG, CephErrno.EOVERFLOW -> FsError.FILE_TOO_BIG;
            case CephErrno.ENOSPC -> FsError.NO_SPACE;
            case CephErrno.EROFS -> FsError.READ_ONLY;
            case CephErrno.EMLINK -> FsError.TOO_MANY_LINKS;
            case CephErrno.ENAMETOOLONG -> FsError.NAME_TOO_LONG;
            case CephErrno.ENOTEMPTY -> FsError.NOT_EMPTY;
            case CephErrno.ENOLCK -> FsError.NO_LOCKS;
            case CephErrno.EDQUOT -> FsError.QUOTA;
            case CephErrno.ESTALE -> FsError.STALE;
            case CephErrno.ELOOP -> FsError.SYMLINK;
            case CephErrno.ENODATA -> FsError.NO_ATTRIBUTE;
            case CephErrno.EOPNOTSUPP, CephErrno.ENOSYS -> FsError.NOT_SUPPORTED;
            default -> FsError.IO;
        };
    }
}
