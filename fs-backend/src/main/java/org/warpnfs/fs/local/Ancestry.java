package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Says of a directory whether it is within the tree, by the way up from it: a user of the host may have moved it out
 * since a client got its handle. The directory is held open, so what is found is of it and no other; whoever moves it
 * out after that has moved something that the client could see.
 */
final class Ancestry {
    /** Deeper than any path can be spoken of. */
    private static final int MAX_DEPTH = 4096;

    private static final int FLAGS = OpenCalls.O_PATH | OpenCalls.O_DIRECTORY;

    private final Statx root;

    /** Of the tree whose root, which stays open, is as {@code root} says. */
    Ancestry(Statx root) {
        this.root = root;
    }

    /** Throws STALE unless the directory is the root or below it. */
    void requireWithin(Fd directory) throws FsException {
        if (!isWithin(directory)) {
            throw FsException.of(FsError.STALE, "moved out of the tree");
        }
    }

    private boolean isWithin(Fd directory) throws FsException {
        Statx statx = AttributeReader.statx(directory);
        Fd at = null;
        try {
            for (int depth = 0; depth < MAX_DEPTH && statx.mountId() == root.mountId(); depth++) {
                if (isSame(statx, root)) {
                    return true;
                }
                Fd above = OpenCalls.openParent(at == null ? directory : at, FLAGS);
                if (at != null) {
                    at.close();
                }
                at = above;
                Statx aboveStatx = AttributeReader.statx(at);
                if (isSame(aboveStatx, statx)) {
                    // The top of everything.
                    return false;
                }
                statx = aboveStatx;
            }
            return false;
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOENT) {
                // Out of what is mounted here.
                return false;
            }
            throw Failure.of(e);
        } finally {
            if (at != null) {
                at.close();
            }
        }
    }

    /** Both are open, so that no number is used again. */
    private static boolean isSame(Statx one, Statx other) {
        return one.inode() == other.inode() && one.fileSystemDevice() == other.fileSystemDevice();
    }
}
