package org.warpnfs.fs.memory;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.Protection;

/** Lists directories, a few entries at a time. Safe for many threads. */
final class Listing {
    private static final int LIST_STEP_ENTRIES = 128;

    private final TreeLock tree;
    private final Inodes inodes;

    Listing(TreeLock tree, Inodes inodes) {
        this.tree = tree;
        this.inodes = inodes;
    }

    /** Does what {@link FileSystem#list} says. */
    boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, FileSystem.EntryVisitor visitor)
            throws FsException {
        long resumeAfter = cookie;
        while (true) {
            List<DirectoryEntry> step = listStep(caller, directory, resumeAfter, withNodes);
            for (DirectoryEntry entry : step) {
                if (!visitor.visit(entry)) {
                    return false;
                }
            }
            if (step.size() < LIST_STEP_ENTRIES) {
                return true;
            }
            resumeAfter = step.getLast().cookie();
        }
    }

    /**
     * Reads the next entries under the tree's lock. The visitor may be slow, so it is called later without the lock.
     */
    private List<DirectoryEntry> listStep(Caller caller, FileHandle directory, long cookie, boolean withNodes)
            throws FsException {
        return tree.reading(() -> {
            DirectoryInode parent = inodes.directory(directory);
            Protection protection = parent.protection();
            PosixJudge.require(caller, protection, FileSystem.Permission.READ);
            boolean withinReach = withNodes && PosixJudge.has(caller, protection, FileSystem.Permission.EXECUTE);
            if (!parent.knows(cookie)) {
                throw FsException.of(FsError.BAD_COOKIE);
            }
            List<DirectoryEntry> step = new ArrayList<>();
            for (DirectoryInode.Entry entry : parent.after(cookie)) {
                Inode inode = entry.inode();
                step.add(new DirectoryEntry(
                        entry.name(),
                        entry.cookie(),
                        inode.fileId,
                        inode.type(),
                        withinReach ? inode.node() : null,
                        withNodes && !withinReach ? FsError.ACCESS : null));
                if (step.size() == LIST_STEP_ENTRIES) {
                    break;
                }
            }
            parent.wasRead();
            return step;
        });
    }
}
