package org.warpnfs.fs.spi;

/** Errors of a file system, each with the POSIX error that it stands for. */
public enum FsError {
    /** EPERM: only the owner or the superuser may do that. */
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
    /** The handle was not made by this backend. */
    BAD_HANDLE,
    /** ELOOP, or a symbolic link where another type is needed. */
    SYMLINK,
    /** The file's type does not allow the operation. */
    WRONG_TYPE,
    /** The backend never gave out this directory cookie. */
    BAD_COOKIE,
    /** ENODATA: no such extended attribute. */
    NO_ATTRIBUTE,
    /** E2BIG, ERANGE: an extended attribute larger than the limit. */
    ATTRIBUTE_TOO_BIG,
    /** EOPNOTSUPP: this backend, or the file system below it, does not support that. */
    NOT_SUPPORTED,
    /** EBUSY, ETXTBSY. */
    BUSY,
    /** ENOLCK: the medium gives no more byte-range locks. */
    NO_LOCKS,
    /** EMFILE, ENFILE, ENOMEM, EAGAIN: a later attempt may succeed. */
    TRY_LATER
}
