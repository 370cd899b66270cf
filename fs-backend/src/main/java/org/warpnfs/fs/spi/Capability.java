package org.warpnfs.fs.spi;

/**
 * What a backend can do beyond reading a tree of files, or what is unusual about it. A backend lists what it has in
 * {@link FsLimits#capabilities}.
 *
 * <p>What a backend does not have, it refuses: a change of a tree without {@link #WRITE} with READ_ONLY, everything
 * else with NOT_SUPPORTED. The default methods of {@link FileSystem} and {@link OpenFile} do so. Even a capability that
 * is listed may be refused with NOT_SUPPORTED where the medium lacks it, or with READ_ONLY where it is protected.
 */
public enum Capability {
    /** Files can be created, changed and removed. */
    WRITE,
    /** A handle stays valid over restarts for as long as its file exists. Otherwise a restart makes it STALE. */
    PERSISTENT_HANDLES,
    /** Files and directories can be renamed. */
    RENAME,
    /** A file can have several names. */
    HARD_LINKS,
    /** Symbolic links, and if the tree can be written their creation. */
    SYMLINKS,
    /** Devices, FIFOs and sockets can be created. */
    SPECIAL_FILES,
    /** Holes take no space, can be made by {@link OpenFile#deallocate} and are found by {@link OpenFile#seekHole}. */
    HOLES,
    /** Space can be reserved by {@link OpenFile#allocate}. */
    ALLOCATE,
    /** The backend copies ranges of files by {@link OpenFile#copyTo}. */
    COPY,
    /** User extended attributes. */
    XATTRS,
    /** POSIX access control lists. */
    ACLS,
    /** {@link FileSystem#statistics} is known. */
    SPACE,
    /** Names that differ in case alone are the same name. */
    CASE_INSENSITIVE,
    /** Names are not kept as they were written. */
    CASE_FOLDING,
    /** The owner of a file may give it to another owner. */
    CHOWN_BY_OWNER,
    /** Others than this server see its byte-range locks and it sees theirs ({@link FileSystem#openLocks}). */
    LOCKS,
    /** The backend tells when others are about to use a file ({@link FileSystem#lease}). */
    LEASES,
    /** The backend lends the memory in which a file lies ({@link OpenFile#lend}), so that it is sent without a copy. */
    LENT_PAGES
}
