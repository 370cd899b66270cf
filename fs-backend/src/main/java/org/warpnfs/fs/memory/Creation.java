package org.warpnfs.fs.memory;

import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;

/** Creates files of every type. Each method does what the method of {@link FileSystem} does. Safe for many threads. */
final class Creation {
    private final TreeLock tree;
    private final Inodes inodes;
    private final Space heap;

    Creation(TreeLock tree, Inodes inodes, Space heap) {
        this.tree = tree;
        this.inodes = inodes;
        this.heap = heap;
    }

    Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException {
        return tree.writing(() -> {
            DirectoryInode parent = inodes.directory(directory);
            PosixJudge.require(caller, parent.protection(), FileSystem.Permission.EXECUTE);
            Inode found = parent.find(name);
            if (found != null) {
                return new Created(existing(caller, found, mode), false);
            }
            NewFile newFile = new NewFile(caller, parent, FileType.REGULAR, mode.attributes());
            Inode made = addNew(parent, name, newFile, inodes::newRegular);
            if (mode instanceof CreateMode.Exclusive exclusive && made instanceof RegularInode regular) {
                regular.createVerifier = exclusive.verifier();
            }
            return new Created(made.node(), true);
        });
    }

    private FileNode existing(Caller caller, Inode found, CreateMode mode) throws FsException {
        return switch (mode) {
            case CreateMode.Guarded guarded -> throw FsException.of(FsError.EXISTS);
            case CreateMode.Exclusive exclusive -> {
                if (!(found instanceof RegularInode regular)
                        || regular.createVerifier == null
                        || regular.createVerifier != exclusive.verifier()
                        || !PosixRules.isAsMade(caller, regular.attributes(), exclusive.attributes())) {
                    throw FsException.of(FsError.EXISTS);
                }
                yield found.node();
            }
            case CreateMode.Unchecked unchecked -> {
                inodes.requireRegular(found);
                Long sizeBytes = unchecked.attributes().sizeBytes();
                if (sizeBytes != null) {
                    inodes.setAttributes(caller, found, AttributeChanges.ofSize(sizeBytes));
                }
                yield found.node();
            }
        };
    }

    FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException {
        return make(caller, directory, name, FileType.DIRECTORY, attributes, inodes::newDirectory);
    }

    FileNode makeSymlink(Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException {
        PosixRules.requireSymlinkTarget(target);
        AttributeChanges withPermissions = new AttributeChanges(
                0777, attributes.uid(), attributes.gid(), null, attributes.accessTime(), attributes.modifyTime());
        return make(
                caller,
                directory,
                name,
                FileType.SYMLINK,
                withPermissions,
                newFile -> inodes.newSymlink(newFile, target));
    }

    FileNode makeSpecial(
            Caller caller,
            FileHandle directory,
            FileName name,
            FileType type,
            int deviceMajor,
            int deviceMinor,
            AttributeChanges attributes)
            throws FsException {
        boolean device = type == FileType.BLOCK_DEVICE || type == FileType.CHARACTER_DEVICE;
        if (!device && type != FileType.FIFO && type != FileType.SOCKET) {
            throw FsException.of(FsError.WRONG_TYPE);
        }
        return make(caller, directory, name, type, attributes, newFile -> {
            if (device && !caller.isSuperuser()) {
                throw FsException.of(FsError.NOT_PERMITTED);
            }
            return inodes.newSpecial(newFile, device ? deviceMajor : 0, device ? deviceMinor : 0);
        });
    }

    private FileNode make(
            Caller caller,
            FileHandle directory,
            FileName name,
            FileType type,
            AttributeChanges attributes,
            Inodes.Maker maker)
            throws FsException {
        return tree.writing(() -> {
            DirectoryInode parent = inodes.directory(directory);
            PosixJudge.require(caller, parent.protection(), FileSystem.Permission.EXECUTE);
            if (parent.find(name) != null) {
                throw FsException.of(FsError.EXISTS);
            }
            return addNew(parent, name, new NewFile(caller, parent, type, attributes), maker)
                    .node();
        });
    }

    private Inode addNew(DirectoryInode parent, FileName name, NewFile newFile, Inodes.Maker maker) throws FsException {
        PosixJudge.requireModifiable(newFile.caller(), parent.protection());
        if (newFile.type() == FileType.DIRECTORY && parent.linkCount >= MemoryFileSystem.MAX_LINKS) {
            throw FsException.of(FsError.TOO_MANY_LINKS);
        }
        heap.take(DirectoryInode.ENTRY_BYTES);
        Inode made;
        try {
            made = maker.make(newFile);
        } catch (FsException e) {
            heap.giveBack(DirectoryInode.ENTRY_BYTES);
            throw e;
        }
        parent.add(name, made);
        Inodes.change(parent, made instanceof DirectoryInode ? 1 : 0);
        return made;
    }
}
