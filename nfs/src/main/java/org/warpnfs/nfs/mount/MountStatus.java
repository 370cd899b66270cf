package org.warpnfs.nfs.mount;

import org.warpnfs.fs.spi.FsError;

/** mountstat3 (RFC 1813, appendix I, section 5.1.4). The numbers are those of UNIX errors, which version 1 uses. */
enum MountStatus {
    OK(0),
    PERM(1),
    NOENT(2),
    IO(5),
    ACCES(13),
    NOTDIR(20),
    INVAL(22),
    NAMETOOLONG(63),
    NOTSUPP(10004),
    SERVERFAULT(10006);

    private final int code;

    MountStatus(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static MountStatus of(FsError error) {
        return switch (error) {
            case NOT_PERMITTED -> PERM;
            case NO_ENTRY, STALE -> NOENT;
            case ACCESS -> ACCES;
            case NOT_DIRECTORY, SYMLINK, WRONG_TYPE -> NOTDIR;
            case INVALID -> INVAL;
            case NAME_TOO_LONG -> NAMETOOLONG;
            case NOT_SUPPORTED -> NOTSUPP;
            case IO, TRY_LATER, BUSY -> IO;
            case NO_DEVICE,
                    EXISTS,
                    CROSS_DEVICE,
                    IS_DIRECTORY,
                    FILE_TOO_BIG,
                    NO_SPACE,
                    READ_ONLY,
                    TOO_MANY_LINKS,
                    NOT_EMPTY,
                    QUOTA,
                    BAD_HANDLE,
                    BAD_COOKIE,
                    NO_ATTRIBUTE,
                    ATTRIBUTE_TOO_BIG,
                    NO_LOCKS -> SERVERFAULT;
        };
    }
}
