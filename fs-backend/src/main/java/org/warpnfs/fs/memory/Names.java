package org.warpnfs.fs.memory;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;

/** Removes and renames names. The caller holds the tree's lock throughout. */
final class Names {
    private final Space heap;
    private final Inodes inodes;

    Names(Space heap, Inodes inodes) {
        this.heap = heap;
        this.inodes = inodes;
    }

    /** The inode of a name; NO_ENTRY if there is none. */
    static Inode existing(DirectoryInode parent, FileName name) throws FsException {
        Inode inode = parent.find(name);
        if (inode == null) {
            throw FsException.of(FsError.NO_ENTRY);
        }
        return inode;
    }

    /** The inode of a name that the caller may remove. */
    static Inode removable(Caller caller, DirectoryInode parent, FileName name) throws FsException {
        PosixJudge.require(caller, parent.protection(), Permission.EXECUTE);
        Inode inode = existing(parent, name);
        PosixJudge.requireModifiable(caller, parent.protection());
        PosixJudge.requireRemovable(caller, parent.protection(), inode.protection());
        return inode;
    }

    /** Removes a name, and its inode if that was the last name. */
    void unlink(DirectoryInode parent, FileName name, Inode inode) {
        parent.remove(name);
        heap.giveBack(DirectoryInode.ENTRY_BYTES);
        if (inode instanceof DirectoryInode) {
            Inodes.change(parent, -1);
            inodes.changeLinks(inode, -inode.linkCount);
        } else {
            Inodes.change(parent, 0);
            inodes.changeLinks(inode, -1);
        }
    }

    void rename(Caller caller, DirectoryInode from, FileName fromName, DirectoryInode to, FileName toName)
            throws FsException {
        PosixJudge.require(caller, from.protection(), Permission.EXECUTE);
        PosixJudge.require(caller, to.protection(), Permission.EXECUTE);
        Inode moved = existing(from, fromName);
        Inode replaced = to.find(toName);
        requireRenamable(caller, from, to, moved, replaced);
        if (moved != replaced) {
            move(from, fromName, to, toName, moved, replaced);
        }
    }

    private static void requireRenamable(
            Caller caller, DirectoryInode from, DirectoryInode to, Inode moved, @Nullable Inode replaced)
            throws FsException {
        if (moved instanceof DirectoryInode directory && isWithin(to, directory)) {
            throw FsException.of(FsError.INVALID);
        }
        if (replaced instanceof DirectoryInode directory && directory != moved && isWithin(from, directory)) {
            throw FsException.of(FsError.NOT_EMPTY);
        }
        PosixRules.requireRenamable(
                caller,
                from.protection(),
                moved.protection(),
                to.protection(),
                replaced == null ? null : replaced.protection(),
                from != to);
        if (moved instanceof DirectoryInode
                && from != to
                && replaced == null
                && to.linkCount >= MemoryFileSystem.MAX_LINKS) {
            throw FsException.of(FsError.TOO_MANY_LINKS);
        }
        if (replaced instanceof DirectoryInode directory && directory != moved && !directory.isEmpty()) {
            throw FsException.of(FsError.NOT_EMPTY);
        }
    }

    private void move(
            DirectoryInode from,
            FileName fromName,
            DirectoryInode to,
            FileName toName,
            Inode moved,
            @Nullable Inode replaced) {
        if (replaced != null) {
            unlink(to, toName, replaced);
        }
        from.remove(fromName);
        to.add(toName, moved);
        boolean parentChanges = moved instanceof DirectoryInode && from != to;
        Inodes.change(from, parentChanges ? -1 : 0);
        Inodes.change(to, parentChanges ? 1 : 0);
        if (moved instanceof DirectoryInode directory) {
            directory.parent = to;
        }
        inodes.changeLinks(moved, 0);
    }

    /** True if {@code directory} is {@code ancestor} or below it. */
    private static boolean isWithin(DirectoryInode directory, DirectoryInode ancestor) {
        DirectoryInode at = directory;
        while (at != ancestor) {
            if (at.parent == at) {
                return false;
            }
            at = at.parent;
        }
        return true;
    }
}
