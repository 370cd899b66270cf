package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;

/** Makes handles of files and finds files by their handles. */
sealed interface Handles extends AutoCloseable permits KernelHandles, TableHandles {
    /** The handle of the tree's root. */
    FileHandle root();

    /** The identity of the file that a handle of this tree names. It is the same through all trees. */
    FileIdentity identity(FileHandle handle);

    /**
     * Opens a file as O_PATH.
     *
     * @throws FsException STALE or BAD_HANDLE
     */
    Fd open(FileHandle handle) throws FsException;

    /**
     * The handle of a file that was found as {@code name} in {@code directory}. All names of a file lead to the same
     * handle.
     */
    FileHandle of(Fd file, Statx statx, FileHandle directory, FileName name) throws FsException;

    /**
     * The handle of the file that {@code directory} has by this name, without opening it. The name may lead to another
     * file by the time of the next call.
     *
     * @return null if that needs an open file, or if the name leads to another mount
     */
    @Nullable
    FileHandle ofName(Fd directory, byte[] name, long mountId) throws FsException;

    /** The handle of a directory that was found as the parent of another. */
    FileHandle ofParent(Fd directory, Statx statx) throws FsException;

    /** Must be called before a file loses its last name. May wait for a tick of the clock. */
    void aboutToGo(FileHandle file);

    /** Notes that a file lost a name. {@code isGone} is true if that was its last name. */
    void removed(FileHandle file, FileHandle directory, FileName name, boolean isGone);

    /** Runs a rename and the update of the file's place. No lookup by handle runs between the two. */
    void move(Move move) throws FsException;

    @Override
    void close();

    /** A rename, together with the update of the handle table. */
    interface Move {
        void run() throws FsException;
    }
}
