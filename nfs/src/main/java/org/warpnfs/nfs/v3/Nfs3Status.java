package org.warpnfs.nfs.v3;

import org.warpnfs.fs.spi.FsError;

/** nfsstat3 (RFC 1813, section 2.6). */
enum Nfs3Status {
    OK(0),
    PERM(1),
    NOENT(2),
    IO(5),
    NXIO(6),
    ACCES(13),
    EXIST(17),
    XDEV(18),
    NOTDIR(20),
    ISDIR(21),
    INVAL(22),
    FBIG(27),
    NOSPC(28),
    ROFS(30),
    MLINK(31),
    NAMETOOLONG(63),
    NOTEMPTY(66),
    DQUOT(69),
    STALE(70),
    BADHANDLE(10001),
    NOT_SYNC(10002),
    BAD_COOKIE(10003),
    NOTSUPP(10004),
    TOOSMALL(10005),
    SERVERFAULT(10006),
    BADTYPE(10007),
    JUKEBOX(10008);

    private final int code;

    Nfs3Status(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** The status for each error of the file system. */
    static Nfs3Status of(FsError error) {
        return switch (error) {
            case NOT_PERMITTED -> PERM;
            case NO_ENTRY -> NOENT;
            case IO -> IO;
            case NO_DEVICE -> NXIO;
            case ACCESS -> ACCES;
            case EXISTS -> EXIST;
            case CROSS_DEVICE -> XDEV;
            case NOT_DIRECTORY -> NOTDIR;
            case IS_DIRECTORY -> ISDIR;
            case INVALID, SYMLINK, WRONG_TYPE, ATTRIBUTE_TOO_BIG -> INVAL;
            case FILE_TOO_BIG -> FBIG;
            case NO_SPACE -> NOSPC;
            case READ_ONLY -> ROFS;
            case TOO_MANY_LINKS -> MLINK;
            case NAME_TOO_LONG -> NAMETOOLONG;
            case NOT_EMPTY -> NOTEMPTY;
            case QUOTA -> DQUOT;
            case STALE -> STALE;
            case BAD_HANDLE -> BADHANDLE;
            case BAD_COOKIE -> BAD_COOKIE;
            case NO_ATTRIBUTE, NOT_SUPPORTED -> NOTSUPP;
            // Not JUKEBOX: a client would try for ever to remove a directory that something is mounted on.
            case BUSY -> ACCES;
            case NO_LOCKS -> SERVERFAULT;
            case TRY_LATER -> JUKEBOX;
        };
    }
}
