package org.warpnfs.fs.spi;

/** What can go wrong, by the POSIX error that says it. */
public enum FsError {
    /** EPERM: only the owner or the superuser may. */
    NOT_PERMITTED,
    /** ENOENT. */
    NO_ENTRY,
    /** EIO: the medium failed. */
    IO,
    /** ENXIO: no such device, or no data beyond the offset. */
    NO_DEVICE,
    /** EACCES: permissions forbid it. */
    ACCESS,
    /** EEXIST. */
    EXISTS,
    /** EXDEV: the two names are on different file systems. */
    CROSS_DEVICE,
    /** ENOTDIR. */
    NOT_DIRECTORY,
    /** EISDIR. */
    IS_DIRECTORY,
    /** EINVAL. */
    INVALID,
    /** EFBIG. */
    FILE_TOO_BIG,
    /** ENOSPC. */
    NO_SPACE,
    /** EROFS. */
    READ_ONLY,
    /** EMLINK. */
    TOO_MANY_LINKS,
    /** ENAMETOOLONG. */
    NAME_TOO_LONG,
    /** ENOTEMPTY. */
    NOT_EMPTY,
    /** EDQUOT. */
    QUOTA,
    /** ESTALE: the handle's file is gone. */
    STALE,
    /** The handle is not one that this backend gave out. */
    BAD_HANDLE,
    /** ELOOP, or a symlink where something else is needed. */
    SYMLINK,
    /** The file's type does not allow the operation. */
    WRONG_TYPE,
    /** The directory cookie was never given out. */
    BAD_COOKIE,
    /** ENODATA: no such extended attribute. */
    NO_ATTRIBUTE,
    /** E2BIG, ERANGE: an extended attribute larger than allowed. */
    ATTRIBUTE_TOO_BIG,
    /** EOPNOTSUPP: this backend, or the file system below it, cannot. */
    NOT_SUPPORTED,
    /** EBUSY, ETXTBSY. */
    BUSY,
    /** EMFILE, ENFILE, ENOMEM, EAGAIN: try again a little later. */
    TRY_LATER
}
