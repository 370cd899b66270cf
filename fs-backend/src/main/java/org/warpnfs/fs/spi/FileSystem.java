package org.warpnfs.fs.spi;

import java.util.List;
import java.util.Set;

/**
 * One backend, serving one tree of files.
 *
 * <p>Each operation on a file of the tree is judged as POSIX judges it, by the caller's identity against owner, group,
 * permissions and access control lists; the superuser may do all. A name is never followed through a symbolic link. A
 * new file in a directory with a default access control list takes its list, and its permissions, from that.
 *
 * <h2>Durability</h2>
 *
 * What changes the tree (create, remove, rename, link, attributes) survives the server's own end at once. It survives
 * the host's end when the call returns, as NFS demands of every such operation; data that were written
 * {@link Stability#UNSTABLE} do so after {@link OpenFile#sync()}.
 *
 * <h2>Errors</h2>
 *
 * Every method can throw {@link FsException} with STALE, BAD_HANDLE, IO, TRY_LATER, and ACCESS or NOT_PERMITTED for the
 * caller; further ones are named where they are not plain.
 */
public interface FileSystem extends AutoCloseable {
    /** The handle of the tree's top directory. */
    FileHandle root();

    /**
     * What the file is, whatever tree of this process it is reached through. Does no I/O and cannot fail: a handle that
     * is not this backend's is told from all others by its bytes.
     */
    default FileIdentity identity(FileHandle file) {
        return new FileIdentity(this, file);
    }

    FsLimits limits();

    FsStatistics statistics() throws FsException;

    /**
     * A number that changes whenever unstable data may have been lost: with each start of the backend, and when a sync
     * fails.
     */
    long writeVerifier();

    FileAttributes attributes(FileHandle file) throws FsException;

    /**
     * Sets attributes, all or, on failure, possibly some, in the order owner, permissions, size, times. A symbolic link
     * has no permissions anyone is judged by: to set them does no more than it has to.
     *
     * @return the attributes after the change
     */
    FileAttributes setAttributes(Caller caller, FileHandle file, AttributeChanges changes) throws FsException;

    /**
     * True if every call is made as its caller, to whom new files belong; false where they belong to the server's user,
     * whoever asked for them.
     */
    default boolean actsAsCaller() {
        return true;
    }

    /** Which of {@code asked} the caller has on the file. */
    Set<Permission> permissions(Caller caller, FileHandle file, Set<Permission> asked) throws FsException;

    FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException;

    /** The directory that holds {@code directory}; the root is its own parent. */
    FileNode lookupParent(Caller caller, FileHandle directory) throws FsException;

    /**
     * Lists a directory from after {@code cookie}, 0 for the start, without {@code .} and {@code ..}, until the end or
     * until {@code visitor} says no. Each name is listed, also one whose file the caller may not see
     * ({@link DirectoryEntry#error}).
     *
     * @param withNodes ask for {@link DirectoryEntry#node()}, which costs some system calls for each name; without it
     *     only the directory itself is read
     * @return true if the end was reached
     */
    boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException;

    /** Makes a regular file, or finds one that is there as {@code mode} says. A new file belongs to the caller. */
    Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException;

    FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException;

    /**
     * Makes a symbolic link.
     *
     * @param target 1 to 4095 bytes without NUL, kept as they are
     */
    FileNode makeSymlink(Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException;

    /** Makes a device, a FIFO or a socket. */
    FileNode makeSpecial(
            Caller caller,
            FileHandle directory,
            FileName name,
            FileType type,
            int deviceMajor,
            int deviceMinor,
            AttributeChanges attributes)
            throws FsException;

    /** What a symbolic link says; INVALID on anything else. */
    byte[] readSymlink(Caller caller, FileHandle symlink) throws FsException;

    /** Gives {@code file} one more name; the attributes after it. */
    FileAttributes link(Caller caller, FileHandle file, FileHandle directory, FileName name) throws FsException;

    /** Takes away the name of anything but a directory: IS_DIRECTORY on one. */
    void remove(Caller caller, FileHandle directory, FileName name) throws FsException;

    /** Takes away an empty directory: NOT_DIRECTORY on anything else, NOT_EMPTY if it is not. */
    void removeDirectory(Caller caller, FileHandle directory, FileName name) throws FsException;

    /** As POSIX rename: replaces what is there if it is of the same kind, and an empty directory. */
    void rename(Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException;

    /**
     * Opens a regular file; WRONG_TYPE, IS_DIRECTORY or SYMLINK on anything else. The owner of a file may open it for
     * either, whatever its permissions say: a program that took its own permission away goes on writing to the file
     * that it has open. Whoever may execute a file may open it for reading, since clients execute by reading.
     *
     * <p>While a file is open its handle stays good, also after its last name is gone.
     */
    OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException;

    /** Names of the user extended attributes, without the {@code user.} prefix. */
    List<byte[]> listXattrs(Caller caller, FileHandle file) throws FsException;

    /** Value of a user extended attribute; NO_ATTRIBUTE if there is none. */
    byte[] getXattr(Caller caller, FileHandle file, byte[] name) throws FsException;

    /** Sets a user extended attribute; EXISTS or NO_ATTRIBUTE as {@code mode} says. */
    void setXattr(Caller caller, FileHandle file, byte[] name, byte[] value, XattrMode mode) throws FsException;

    /** Removes a user extended attribute; NO_ATTRIBUTE if there is none. */
    void removeXattr(Caller caller, FileHandle file, byte[] name) throws FsException;

    /**
     * The access control lists of a file; NOT_SUPPORTED where {@link FsLimits#accessControlLists} says that there are
     * none. A symbolic link has none.
     */
    Acls acls(FileHandle file) throws FsException;

    /**
     * Changes access control lists, the access list first; on failure that one may have been changed. Of a file that
     * has one, the group bits of the permissions are its mask; both change together.
     *
     * @return the attributes after the change
     * @throws FsException NOT_SUPPORTED also on a symbolic link, ACCESS for a default list on anything but a directory,
     *     NOT_PERMITTED for anyone but the owner, NO_SPACE for a list longer than the medium takes
     */
    FileAttributes setAcls(Caller caller, FileHandle file, AclChanges changes) throws FsException;

    /** Lets go of everything. Syncs nothing. */
    @Override
    void close();

    /** What {@link #permissions} can be asked for. */
    enum Permission {
        READ,
        WRITE,
        /** Search of a directory, or execution of a file. */
        EXECUTE
    }

    /** Takes the entries of a listing. */
    @FunctionalInterface
    interface EntryVisitor {
        /** Takes one entry, or returns false to stop: it then counts as not taken, and the listing resumes with it. */
        boolean visit(DirectoryEntry entry);
    }
}
