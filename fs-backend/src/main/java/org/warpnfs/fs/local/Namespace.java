package org.warpnfs.fs.local;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.NameCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** Looks up, links, renames and removes names. */
final class Namespace {
    private final TreeContext tree;

    Namespace(TreeContext tree) {
        this.tree = tree;
    }

    FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException {
        try (Fd parent = tree.openDirectory(directory);
                Fd found = tree.openName(caller, parent, name)) {
            return tree.node(found, directory, name);
        }
    }

    FileNode lookupParent(Caller caller, FileHandle directory) throws FsException {
        FileHandle root = tree.handles().root();
        try (Fd child = tree.openDirectory(directory)) {
            tree.authority().require(caller, child, Permission.EXECUTE);
            // In the root, a lookup of ".." would leave the tree. A lookup of "." requires the same permission in any
            // directory.
            boolean atRoot = directory.equals(root);
            try (Fd parent = tree.authority().as(caller, () -> openUp(child, atRoot))) {
                Statx statx = tree.attributes().seen(parent);
                if (!atRoot) {
                    tree.ancestry().requireWithin(parent);
                }
                FileHandle handle = atRoot ? root : tree.handles().ofParent(parent, statx);
                return new FileNode(handle, tree.attributes().convert(parent, statx, FileAttribute.ALL));
            } catch (ErrnoException e) {
                // A bind mount can hide the directory's parent.
                throw e.errno() == Errno.ENOENT ? FsException.of(FsError.STALE) : Failure.of(e);
            }
        }
    }

    private static Fd openUp(Fd directory, boolean stay) throws ErrnoException {
        int flags = OpenCalls.O_PATH | OpenCalls.O_DIRECTORY;
        return stay ? OpenCalls.openSame(directory, flags) : OpenCalls.openParent(directory, flags);
    }

    FileAttributes link(Caller caller, FileHandle handle, FileHandle directory, FileName name) throws FsException {
        try (Fd file = tree.open(handle);
                Fd parent = tree.openDirectory(directory);
                ChangeSync sync = tree.durability().ofDirectoryAndFile(parent, file)) {
            tree.requireFree(name);
            tree.requireAbsent(caller, parent, name);
            tree.authority().requireModifiable(caller, parent);
            try {
                tree.authority().runAs(caller, () -> NameCalls.link(file, parent, name.toBytes()));
            } catch (ErrnoException e) {
                throw Failure.ofAdding(e);
            }
            try {
                Statx statx = tree.attributes().changed(file);
                tree.handles().of(file, statx, directory, name);
                tree.settle(sync, parent);
                return tree.attributes().read(file);
            } catch (FsException e) {
                throw ChangeSync.afterChange(e);
            }
        }
    }

    void remove(Caller caller, FileHandle directory, FileName name) throws FsException {
        remove(caller, directory, name, false);
    }

    void removeDirectory(Caller caller, FileHandle directory, FileName name) throws FsException {
        remove(caller, directory, name, true);
    }

    private void remove(Caller caller, FileHandle directory, FileName name, boolean wantsDirectory) throws FsException {
        try (Fd parent = tree.openDirectory(directory);
                Fd victim = tree.openName(caller, parent, name);
                ChangeSync sync = tree.durability().ofDirectory(parent)) {
            Statx statx = AttributeReader.statx(victim);
            boolean isDirectory = AttributeReader.type(statx) == FileType.DIRECTORY;
            tree.authority().requireModifiable(caller, parent);
            tree.authority().requireRemovable(caller, parent, victim);
            FileHandle handle = tree.handles().of(victim, statx, directory, name);
            if (isDirectory || statx.linkCount() == 1) {
                tree.handles().aboutToGo(handle);
            }
            try {
                tree.authority().runAs(caller, () -> {
                    if (wantsDirectory) {
                        withoutLeftovers(victim, () -> NameCalls.removeDirectory(parent, name.toBytes()));
                    } else {
                        NameCalls.unlink(parent, name.toBytes());
                    }
                });
            } catch (ErrnoException e) {
                throw isDirectory ? notEmptyIfExists(e) : Failure.of(e);
            }
            try {
                lostName(victim, handle, directory, name, isDirectory);
                tree.settle(sync, parent);
            } catch (FsException e) {
                throw ChangeSync.afterChange(e);
            }
        }
    }

    /** Makes a call that needs an empty directory, also if it is empty but for what clients do not see. */
    private void withoutLeftovers(@Nullable Fd directory, Authority.ResultlessCalls call)
            throws FsException, ErrnoException {
        try {
            call.make();
        } catch (ErrnoException e) {
            boolean isFull = e.errno() == Errno.ENOTEMPTY || e.errno() == Errno.EEXIST;
            if (!isFull || directory == null || !tree.owners().removeLeftovers(directory)) {
                throw e;
            }
            call.make();
        }
    }

    /** Changes EXISTS to NOT_EMPTY: POSIX lets a file system answer EEXIST for a directory that is not empty. */
    private static FsException notEmptyIfExists(ErrnoException e) {
        return e.errno() == Errno.EEXIST ? FsException.of(FsError.NOT_EMPTY) : Failure.of(e);
    }

    private void lostName(Fd file, FileHandle handle, FileHandle directory, FileName name, boolean isDirectory)
            throws FsException {
        Statx statx = tree.attributes().changed(file);
        boolean isGone = isDirectory || statx.linkCount() == 0;
        tree.handles().removed(handle, directory, name, isGone);
        if (isGone) {
            if (isDirectory) {
                tree.listings().forget(handle);
            } else {
                tree.files().forget(handle);
            }
        }
    }

    void rename(Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException {
        try (Fd from = tree.openDirectory(fromDirectory);
                Fd to = tree.openDirectory(toDirectory);
                Fd moved = tree.openName(caller, from, fromName);
                MaybeFd replaced = new MaybeFd(openIfThere(caller, to, toName));
                ChangeSync sync = tree.durability().ofDirectories(from, to)) {
            tree.requireFree(toName);
            requireRenamable(caller, from, to, moved, replaced.fd());
            Fd target = replaced.fd();
            FileHandle targetHandle = target == null
                    ? null
                    : tree.handles().of(target, AttributeReader.statx(target), toDirectory, toName);
            if (targetHandle != null) {
                tree.handles().aboutToGo(targetHandle);
            }
            if (!sync.coversAll()) {
                Statx statx = AttributeReader.statx(moved);
                tree.settleFound(moved, tree.handles().of(moved, statx, fromDirectory, fromName));
            }
            boolean[] renamed = new boolean[1];
            try {
                tree.handles().move(() -> {
                    renameAs(caller, from, fromName, to, toName, target);
                    renamed[0] = true;
                    if (target != null && isSameFile(moved, target) && isStillThere(caller, from, fromName, moved)) {
                        // Both names are of one file. POSIX does nothing then, so nothing has changed.
                        return;
                    }
                    tree.attributes().changed(from);
                    tree.attributes().changed(to);
                    FileHandle movedHandle =
                            tree.handles().of(moved, tree.attributes().changed(moved), toDirectory, toName);
                    if (target != null && targetHandle != null && !targetHandle.equals(movedHandle)) {
                        boolean isDirectory = AttributeReader.type(AttributeReader.statx(target)) == FileType.DIRECTORY;
                        lostName(target, targetHandle, toDirectory, toName, isDirectory);
                    }
                });
                sync.sync();
            } catch (FsException e) {
                throw renamed[0] ? ChangeSync.afterChange(e) : e;
            }
        }
    }

    private boolean isStillThere(Caller caller, Fd directory, FileName name, Fd file) throws FsException {
        try (MaybeFd there = new MaybeFd(openIfThere(caller, directory, name))) {
            return there.fd() != null && isSameFile(there.fd(), file);
        }
    }

    private static boolean isSameFile(Fd one, Fd other) throws FsException {
        return AttributeReader.statx(one).isSameFile(AttributeReader.statx(other));
    }

    private void renameAs(Caller caller, Fd from, FileName fromName, Fd to, FileName toName, @Nullable Fd target)
            throws FsException {
        byte[] old = fromName.toBytes();
        byte[] name = toName.toBytes();
        try {
            tree.authority().runAs(caller, () -> withoutLeftovers(target, () -> NameCalls.rename(from, old, to, name)));
        } catch (ErrnoException e) {
            throw notEmptyIfExists(e);
        }
    }

    private @Nullable Fd openIfThere(Caller caller, Fd directory, FileName name) throws FsException {
        try {
            return tree.openName(caller, directory, name);
        } catch (FsException e) {
            if (e.error() == FsError.NO_ENTRY) {
                return null;
            }
            throw e;
        }
    }

    private void requireRenamable(Caller caller, Fd from, Fd to, Fd moved, @Nullable Fd replaced) throws FsException {
        Authority authority = tree.authority();
        authority.requireModifiable(caller, from);
        authority.requireRemovable(caller, from, moved);
        authority.requireModifiable(caller, to);
        if (replaced != null) {
            authority.requireRemovable(caller, to, replaced);
        }
        Statx statx = AttributeReader.statx(moved);
        boolean otherParent = !isSameFile(from, to);
        if (AttributeReader.type(statx) == FileType.DIRECTORY && otherParent) {
            // The directory's ".." changes.
            authority.require(caller, moved, Permission.WRITE);
        }
    }

    /** A descriptor that may be absent. */
    private record MaybeFd(@Nullable Fd fd) implements AutoCloseable {
        @Override
        public void close() {
            if (fd != null) {
                fd.close();
            }
        }
    }
}
