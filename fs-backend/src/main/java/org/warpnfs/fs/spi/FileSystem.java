package org.warpnfs.fs.spi;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A backend that serves one tree of files.
 *
 * <p>A backend implements the methods without a default, and those of its {@linkplain Capability capabilities}. The
 * others refuse as {@link FsLimits#refusal} says.
 *
 * <p>Each operation on a file is permitted or refused by POSIX's rules: the caller's identity is checked against owner,
 * group, permissions and access control lists. The superuser may do everything. No operation follows a symbolic link. A
 * new file in a directory with a default access control list takes its list and its permissions from that default list.
 *
 * <h2>Durability</h2>
 *
 * A change of the tree (create, remove, rename, link, attributes) survives the end of the server's process at once.
 * When the call has returned it survives the end of the host too, as NFS demands of every such operation. Data that
 * were written {@link Stability#UNSTABLE} survive the end of the host after {@link OpenFile#sync()}.
 *
 * <h2>Errors</h2>
 *
 * Every method can throw {@link FsException} with STALE, BAD_HANDLE, IO, TRY_LATER, and with ACCESS or NOT_PERMITTED
 * for the caller. A method names further errors where they are not obvious.
 */
public interface FileSystem extends AutoCloseable {
    /** The handle of the tree's top directory. */
    FileHandle root();

    /**
     * The identity of the file, the same through whatever tree of this process it is reached. Does no I/O and cannot
     * fail: a handle that is not this backend's gets an identity from its bytes.
     */
    default FileIdentity identity(FileHandle file) {
        return new FileIdentity(this, file);
    }

    FsLimits limits();

    /** Space and number of files; all are 0 without {@link Capability#SPACE}. */
    default FsStatistics statistics() throws FsException {
        return FsStatistics.UNKNOWN;
    }

    /**
     * A fault of the tree as a whole that an administrator has to mend: a sentence without its full stop, such as "the
     * directory was removed". Empty if there is none. The tree may be served all the same. May wait as long as the
     * medium does.
     */
    default Optional<String> fault() throws FsException {
        return Optional.empty();
    }

    /**
     * A number that changes whenever unstable data may have been lost: at each start of the backend, and when a sync
     * fails. Any constant will do without {@link Capability#WRITE}.
     */
    default long writeVerifier() {
        if (limits().has(Capability.WRITE)) {
            throw new UnsupportedOperationException("a backend that can be written to has a verifier");
        }
        return 0;
    }

    FileAttributes attributes(FileHandle file) throws FsException;

    /**
     * The attributes of the file, of which the caller uses those in {@code wanted} and those that never change. The
     * others may have any value. A backend for which some cost more than others fetches no more than it has to.
     */
    default FileAttributes attributes(FileHandle file, Set<FileAttribute> wanted) throws FsException {
        return attributes(file);
    }

    /**
     * The attributes of the file, if they can be had without a wait for a disk or another host; else null. Called on
     * threads that serve many clients.
     */
    default @Nullable FileAttributes tryAttributes(FileHandle file) throws FsException {
        return null;
    }

    /**
     * Sets attributes in the order owner, permissions, size, times. On failure some of them may have been set, which
     * {@link FsException#made} says. Nobody's access depends on the permissions of a symbolic link, so a backend need
     * not set those. A time that the medium cannot keep becomes the nearest one that it can.
     *
     * @return the attributes after the change
     */
    default FileAttributes setAttributes(Caller caller, FileHandle file, AttributeChanges changes) throws FsException {
        throw limits().refusal();
    }

    /**
     * True if the backend makes every call as its caller, so that new files belong to the caller. False if new files
     * belong to the server's user.
     */
    default boolean actsAsCaller() {
        return true;
    }

    /**
     * Those of {@code asked} that the caller has on the file. Without {@link Capability#WRITE} nobody may write to a
     * file or a directory. By default the answer comes from {@link #attributes} and {@link #acls}.
     */
    default Set<Permission> permissions(Caller caller, FileHandle file, Set<Permission> asked) throws FsException {
        PosixAcl acl = limits().has(Capability.ACLS) ? acls(file).access() : null;
        Set<Permission> granted = PosixJudge.permissions(caller, Protection.of(attributes(file), acl), asked);
        if (!limits().has(Capability.WRITE)) {
            granted.remove(Permission.WRITE);
        }
        return granted;
    }

    FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException;

    /** The directory that holds {@code directory}; the root is its own parent. */
    FileNode lookupParent(Caller caller, FileHandle directory) throws FsException;

    /**
     * Lists a directory from after {@code cookie}, or from the start if that is 0, without {@code .} and {@code ..}.
     * Stops at the end, or when {@code visitor} returns false. Each name is listed, even if the caller may not see its
     * file ({@link DirectoryEntry#error}).
     *
     * @param withNodes whether to look up {@link DirectoryEntry#node()}, which costs some system calls for each name;
     *     without it only the directory itself is read
     * @return true if the end was reached
     */
    boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException;

    /** Lists with nodes, whose attributes are as in {@link #attributes(FileHandle, Set)}. */
    default boolean list(
            Caller caller, FileHandle directory, long cookie, Set<FileAttribute> wanted, EntryVisitor visitor)
            throws FsException {
        return list(caller, directory, cookie, true, visitor);
    }

    /** Creates a regular file, or accepts an existing one as {@code mode} says. A new file belongs to the caller. */
    default Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException {
        throw limits().refusal();
    }

    /** Creates a directory. */
    default FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException {
        throw limits().refusal();
    }

    /**
     * Creates a symbolic link.
     *
     * @param target 1 to 4095 bytes without NUL, stored unchanged
     */
    default FileNode makeSymlink(
            Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException {
        throw limits().refusal();
    }

    /** Creates a device, a FIFO or a socket. */
    default FileNode makeSpecial(
            Caller caller,
            FileHandle directory,
            FileName name,
            FileType type,
            int deviceMajor,
            int deviceMinor,
            AttributeChanges attributes)
            throws FsException {
        throw limits().refusal();
    }

    /** Reads the target of a symbolic link; INVALID on any other file. */
    default byte[] readSymlink(Caller caller, FileHandle symlink) throws FsException {
        attributes(symlink);
        throw FsException.of(FsError.INVALID);
    }

    /**
     * Gives {@code file} one more name.
     *
     * @return the attributes of the file after the change
     */
    default FileAttributes link(Caller caller, FileHandle file, FileHandle directory, FileName name)
            throws FsException {
        throw limits().refusal();
    }

    /** Removes a name of a file that is not a directory; IS_DIRECTORY on a directory. */
    default void remove(Caller caller, FileHandle directory, FileName name) throws FsException {
        throw limits().refusal();
    }

    /** Removes an empty directory; NOT_DIRECTORY on any other file, NOT_EMPTY if the directory has entries. */
    default void removeDirectory(Caller caller, FileHandle directory, FileName name) throws FsException {
        throw limits().refusal();
    }

    /** Renames as POSIX does: replaces an existing file of the same kind, or an empty directory. */
    default void rename(
            Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException {
        throw limits().refusal();
    }

    /**
     * Opens a regular file; WRONG_TYPE, IS_DIRECTORY or SYMLINK on any other file. The owner of a file may open it for
     * reading and for writing whatever its permissions say: a program that removed its own permission may go on writing
     * to the file that it has open. A caller that may execute a file may open it for reading, since clients execute a
     * file by reading it.
     *
     * <p>While a file is open its handle stays valid, even after its last name is gone.
     */
    OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException;

    /**
     * Opens as {@link #open} does, if no wait for a disk or another host is needed; else returns null. The file that it
     * returns is closed without a wait. Called on threads that serve many clients.
     */
    default @Nullable OpenFile tryOpen(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        return null;
    }

    /**
     * Begins the byte-range locks of one owner on a regular file. The server has judged whether the owner may lock the
     * file, so the backend opens it as itself. What the owner has locked counts until it is unlocked, the result is
     * closed, or this file system is.
     *
     * <p>There are no events about locks of others: a server that waits for one tries again from time to time.
     *
     * @param access READ for one that takes shared locks only, READ_WRITE for both kinds. READ_ONLY or ACCESS if the
     *     file cannot be opened so, BUSY while it is executed
     * @throws FsException TRY_LATER also if too many files are open
     */
    default OwnerLocks openLocks(FileHandle file, OpenAccess access) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /**
     * Takes a lease on a regular file.
     *
     * @param breaking is run once when somebody is about to use the file in a way that conflicts, on a thread of the
     *     backend, and returns soon. It may run before this method has returned, and after the lease was closed. The
     *     server then releases the lease as soon as its clients allow
     * @return empty if there can be none now: somebody uses the file in a way that conflicts, or the backend lacks the
     *     privilege
     */
    default Optional<Lease> lease(FileHandle file, Lease.Kind kind, Runnable breaking) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /** Names of the user extended attributes, without the {@code user.} prefix. */
    default List<byte[]> listXattrs(Caller caller, FileHandle file) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /** Value of a user extended attribute; NO_ATTRIBUTE if the file has none of that name. */
    default byte[] getXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /** Sets a user extended attribute; EXISTS or NO_ATTRIBUTE as {@code mode} says. */
    default void setXattr(Caller caller, FileHandle file, byte[] name, byte[] value, XattrMode mode)
            throws FsException {
        throw limits().refusal();
    }

    /** Removes a user extended attribute; NO_ATTRIBUTE if the file has none of that name. */
    default void removeXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        throw limits().refusal();
    }

    /** The access control lists of a file. A symbolic link has none. NOT_SUPPORTED without {@link Capability#ACLS}. */
    default Acls acls(FileHandle file) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /**
     * Changes access control lists, the access list first; on failure the access list may have been changed. If a file
     * has an access list, the group bits of its permissions are the list's mask, and both change together.
     *
     * @return the attributes after the change
     * @throws FsException NOT_SUPPORTED also on a symbolic link, ACCESS for a default list on anything but a directory,
     *     NOT_PERMITTED for anyone but the owner, NO_SPACE for a list longer than the medium takes
     */
    default FileAttributes setAcls(Caller caller, FileHandle file, AclChanges changes) throws FsException {
        throw limits().refusal();
    }

    /** Releases all resources. Syncs nothing. */
    @Override
    void close();

    /** Permissions that {@link #permissions} can be asked about. */
    enum Permission {
        READ,
        WRITE,
        /** Search of a directory, or execution of a file. */
        EXECUTE
    }

    /** Receives the entries of a listing. */
    @FunctionalInterface
    interface EntryVisitor {
        /**
         * Takes one entry, or returns false to stop. An entry for which it returns false was not taken, and the listing
         * resumes with it.
         */
        boolean visit(DirectoryEntry entry);

        /**
         * An estimate of how many further entries can be taken, at least 1. A backend need not read more names, or
         * examine more files, than that before the next {@link #visit}.
         */
        default int room() {
            return Integer.MAX_VALUE;
        }
    }
}
