package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;

/** Gives files handles and finds files by them. */
sealed interface Handles extends AutoCloseable permits KernelHandles, TableHandles {
    /** Of the tree's top. */
    FileHandle root();

    /** What a handle of this tree names, whatever tree it is reached through. */
    FileIdentity identity(FileHandle handle);

    /**
     * Opens a file, O_PATH alone.
     *
     * @throws FsException STALE or BAD_HANDLE
     */
    Fd open(FileHandle handle) throws FsException;

    /** The handle of a file found as {@code name} in {@code directory}; it is the same whatever name led to it. */
    FileHandle of(Fd file, Statx statx, FileHandle directory, FileName name) throws FsException;

    /** The handle of a directory found as the parent of another. */
    FileHandle ofParent(Fd directory, Statx statx) throws FsException;

    /** A file is about to lose its last name; may wait for a tick of the clock. */
    void aboutToGo(FileHandle file);

    /** A file lost a name, and {@code isGone} with it all. */
    void removed(FileHandle file, FileHandle directory, FileName name, boolean isGone);

    /** Renames, and says where the file is now, such that nobody looks for it between the two. */
    void move(Move move) throws FsException;

    @Override
    void close();

    /** A rename with all that follows from it here. */
    interface Move {
        void run() throws FsException;
    }
}
