package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsError;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Translates the backend's errors to those of NFSv4. */
public final class Statuses {
    private Statuses() {}

    /** The status in a minor version: NFSv4.0 has fewer statuses (RFC 7530, section 13.1). */
    public static Nfs4Status in(int minorVersion, Nfs4Status status) {
        if (minorVersion > 0 || status.code() <= Nfs4Status.CB_PATH_DOWN.code()) {
            return status;
        }
        return switch (status) {
            case TOO_MANY_OPS, REQ_TOO_BIG, REP_TOO_BIG, REP_TOO_BIG_TO_CACHE -> Nfs4Status.RESOURCE;
            case WRONG_TYPE -> Nfs4Status.INVAL;
            case DELEG_REVOKED -> Nfs4Status.BAD_STATEID;
            case DEADSESSION -> Nfs4Status.EXPIRED;
            default -> Nfs4Status.SERVERFAULT;
        };
    }

    public static Nfs4Status of(FsError error) {
        return switch (error) {
            case NOT_PERMITTED -> Nfs4Status.PERM;
            case NO_ENTRY -> Nfs4Status.NOENT;
            case IO -> Nfs4Status.IO;
            case NO_DEVICE -> Nfs4Status.NXIO;
            case ACCESS -> Nfs4Status.ACCESS;
            case EXISTS -> Nfs4Status.EXIST;
            case CROSS_DEVICE -> Nfs4Status.XDEV;
            case NOT_DIRECTORY -> Nfs4Status.NOTDIR;
            case IS_DIRECTORY -> Nfs4Status.ISDIR;
            case INVALID -> Nfs4Status.INVAL;
            case FILE_TOO_BIG -> Nfs4Status.FBIG;
            case NO_SPACE -> Nfs4Status.NOSPC;
            case READ_ONLY -> Nfs4Status.ROFS;
            case TOO_MANY_LINKS -> Nfs4Status.MLINK;
            case NAME_TOO_LONG -> Nfs4Status.NAMETOOLONG;
            case NOT_EMPTY -> Nfs4Status.NOTEMPTY;
            case QUOTA -> Nfs4Status.DQUOT;
            case STALE -> Nfs4Status.STALE;
            case BAD_HANDLE -> Nfs4Status.BADHANDLE;
            case SYMLINK -> Nfs4Status.SYMLINK;
            case WRONG_TYPE -> Nfs4Status.WRONG_TYPE;
            case BAD_COOKIE -> Nfs4Status.BAD_COOKIE;
            case NO_ATTRIBUTE -> Nfs4Status.NOXATTR;
            case ATTRIBUTE_TOO_BIG -> Nfs4Status.XATTR2BIG;
            case NOT_SUPPORTED -> Nfs4Status.NOTSUPP;
            case BUSY -> Nfs4Status.FILE_OPEN;
            case NO_LOCKS -> Nfs4Status.SERVERFAULT;
            case TRY_LATER -> Nfs4Status.DELAY;
        };
    }
}
