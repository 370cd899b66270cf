package org.warpnfs.fs.local;

import java.nio.ByteBuffer;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsException;

/**
 * Where the owners, permissions and lists of a tree's files are kept: changes them, and makes files that have them from
 * the first moment on. What they are is read by {@link AttributeReader}. Whether the caller may do what it asks for is
 * judged before, by the {@link Authority} or by the kernel. Safe for many threads.
 */
sealed interface Owners permits HostOwners, MappedOwners {
    /** True if a new file belongs to its creator, false if to the server's user. */
    boolean keepCallers();

    /**
     * Sets owner, group and permissions, as far as {@code changes} has them. What fails half way throws as
     * {@link ChangeSync#afterChange} does. Returns true if something was set.
     */
    boolean set(Caller caller, Fd file, AttributeChanges changes) throws FsException, ErrnoException;

    /** Sets lists, as far as {@code changes} has them. What fails half way throws as {@link #set} does. */
    void setAcls(Caller caller, Fd file, AclChanges changes) throws FsException, ErrnoException;

    /**
     * Takes set-id bits away before the caller changes the contents, as the kernel does. Does nothing if it will.
     *
     * @param kept of the file
     */
    void beforeWrite(Caller caller, Fd file, KeptOwner kept) throws FsException, ErrnoException;

    /**
     * Makes a regular file; EEXIST if the name is taken.
     *
     * @return the new file, open for reading and writing
     */
    Fd makeRegular(Caller caller, Fd directory, FileName name, int permissions) throws FsException, ErrnoException;

    /**
     * Makes a file of another type. All that fails after the file was made throws as {@link ChangeSync#afterChange}
     * does.
     *
     * @return the new file
     */
    Fd make(Caller caller, Fd directory, FileName name, NewNode node) throws FsException, ErrnoException;

    /** True if clients shall see no file of this name, and make none. */
    boolean hides(FileName name);

    /**
     * Removes from a directory what {@link #hides} hides and a crash has left. Returns true if it removed something.
     */
    boolean removeLeftovers(Fd directory) throws FsException, ErrnoException;

    /**
     * A file that is not regular.
     *
     * @param target of a symbolic link, else empty
     */
    record NewNode(FileType type, int permissions, ByteBuffer target, int deviceMajor, int deviceMinor) {
        byte[] targetBytes() {
            byte[] bytes = new byte[target.remaining()];
            target.duplicate().get(bytes);
            return bytes;
        }
    }
}
