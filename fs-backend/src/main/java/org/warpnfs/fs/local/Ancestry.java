package org.warpnfs.fs.local;

import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Checks whether a directory is within the tree, by following its parents up to the root. A user of the host may have
 * moved it out of the tree since a client got its handle. The directory is held open, so the result is about this
 * directory and no other. If it is moved out after the check, the client gets something that it could see before.
 */
final class Ancestry {
    /** Deeper than any directory that a path can name. */
    private static final int MAX_DEPTH = 4096;

    private static final int FLAGS = OpenCalls.O_PATH | OpenCalls.O_DIRECTORY;

    private final Statx root;

    /** Checks against the root that {@code root} describes, which stays open. */
    Ancestry(Statx root) {
        this.root = root;
    }

    /** Throws STALE unless the directory is the root or below it. */
    void requireWithin(Fd directory) throws FsException {
        if (!isWithin(directory)) {
            throw FsException.of(FsError.STALE, "the directory is no longer below the root of the tree");
        }
    }

    private boolean isWithin(Fd directory) throws FsException {
        Statx statx = AttributeReader.statx(directory);
        Fd at = null;
        try {
            for (int depth = 0; depth < MAX_DEPTH && statx.mountId() == root.mountId(); depth++) {
                if (statx.isSameFile(root)) {
                    return true;
                }
                Fd above = OpenCalls.openParent(at == null ? directory : at, FLAGS);
                if (at != null) {
                    at.close();
                }
                at = above;
                Statx aboveStatx = AttributeReader.statx(at);
                if (aboveStatx.isSameFile(statx)) {
                    // The root of the whole namespace was reached.
                    return false;
                }
                statx = aboveStatx;
            }
            return false;
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOENT) {
                // The directory is outside of what is mounted here.
                return false;
            }
            throw Failure.of(e);
        } finally {
            if (at != null) {
                at.close();
            }
        }
    }
}
