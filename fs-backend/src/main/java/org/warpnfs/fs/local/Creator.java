package org.warpnfs.fs.local;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.IdentityCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Timestamp;

/** Creates files of every type. */
final class Creator {
    private static final Caller SERVER = Caller.ROOT;
    private static final ByteBuffer NO_TARGET = ByteBuffer.allocate(0);

    private final TreeContext tree;
    private final AttributeSetter setter;

    Creator(TreeContext tree, AttributeSetter setter) {
        this.tree = tree;
        this.setter = setter;
    }

    Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException {
        int permissions = permissions(mode.attributes());
        tree.requireFree(name);
        try (Fd parent = tree.openDirectory(directory);
                ChangeSync sync = tree.durability().ofDirectory(parent)) {
            while (true) {
                Created existing = findExisting(caller, parent, directory, name, mode, sync);
                if (existing != null) {
                    return existing;
                }
                tree.authority().requireModifiable(caller, parent);
                requireOwnable(caller, parent, mode.attributes());
                // The caller opens the file next, which takes another descriptor.
                tree.files().requireRoom();
                Fd made;
                try {
                    made = tree.owners().makeRegular(caller, parent, name, permissions);
                } catch (ErrnoException e) {
                    if (e.errno() == Errno.EEXIST) {
                        // Another file was created after the lookup.
                        continue;
                    }
                    throw Failure.ofAdding(e);
                }
                try (made) {
                    AttributeChanges rest = mode instanceof CreateMode.Exclusive exclusive
                            ? withVerifier(exclusive)
                            : mode.attributes();
                    sync.addMade(made, true);
                    FileNode node = finish(new Made(made, made, directory, name), sync, caller, parent, rest);
                    return new Created(node, true);
                }
            }
        }
    }

    /** Refuses an owner or group that the kernel, or the server in its place, would refuse when the file is made. */
    private void requireOwnable(Caller caller, Fd directory, AttributeChanges attributes) throws FsException {
        Long uid = attributes.uid();
        if (uid == null && attributes.gid() == null) {
            return;
        }
        if (tree.owners().keepCallers()) {
            Statx parent = tree.attributes().seen(directory);
            PosixJudge.requireOwnable(caller, parent.mode() & PosixJudge.PERMISSION_BITS, parent.gid(), attributes);
            return;
        }
        // The file will belong to the server's user, and cannot be given away.
        long owner = IdentityCalls.effectiveUser();
        if ((uid != null && uid != owner) || (!caller.isSuperuser() && caller.uid() != owner)) {
            throw FsException.of(FsError.NOT_PERMITTED);
        }
    }

    private @Nullable Created findExisting(
            Caller caller, Fd parent, FileHandle directory, FileName name, CreateMode mode, ChangeSync sync)
            throws FsException {
        try (Fd found = tree.openName(caller, parent, name)) {
            return new Created(existing(caller, found, directory, name, mode, sync), false);
        } catch (FsException e) {
            if (e.error() == FsError.NO_ENTRY) {
                return null;
            }
            throw e;
        }
    }

    private FileNode existing(
            Caller caller, Fd found, FileHandle directory, FileName name, CreateMode mode, ChangeSync sync)
            throws FsException {
        Statx statx = tree.attributes().seen(found);
        switch (mode) {
            case CreateMode.Guarded guarded -> throw FsException.of(FsError.EXISTS);
            case CreateMode.Exclusive exclusive -> {
                if (AttributeReader.type(statx) != FileType.REGULAR
                        || !hasVerifier(statx, exclusive.verifier())
                        || !isAsMade(caller, statx, exclusive.attributes())) {
                    throw FsException.of(FsError.EXISTS);
                }
                settleFound(found, tree.handles().of(found, statx, directory, name), sync);
            }
            case CreateMode.Unchecked unchecked -> {
                RegularOpener.requireRegular(statx);
                tree.requireSameMount(statx);
                FileHandle file = tree.handles().of(found, statx, directory, name);
                Long sizeBytes = unchecked.attributes().sizeBytes();
                if (sizeBytes != null) {
                    setter.setDurably(caller, found, file, AttributeChanges.ofSize(sizeBytes), tree);
                    return nodeAfterResize(found, directory, name, sync);
                }
                settleFound(found, file, sync);
            }
        }
        return tree.node(found, directory, name);
    }

    /**
     * Brings a file that was found, and its name, to stable storage. Whoever made it may not have got as far as its
     * sync, or the sync has failed, and the caller is told that the file exists (RFC 1813, section 4.8).
     */
    private void settleFound(Fd found, FileHandle file, ChangeSync sync) throws FsException {
        if (!sync.coversAll()) {
            tree.settleFound(found, file);
        }
        sync.sync();
    }

    /**
     * True if the file may come from an earlier exclusive create by this caller. A file of another owner, or one whose
     * length was changed since, does not.
     */
    private boolean isAsMade(Caller caller, Statx statx, AttributeChanges attributes) {
        Long sizeBytes = attributes.sizeBytes();
        return statx.sizeBytes() == (sizeBytes == null ? 0 : sizeBytes)
                && (!tree.owners().keepCallers() || caller.isSuperuser() || statx.uid() == caller.uid());
    }

    FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException {
        return make(caller, directory, name, attributes, FileType.DIRECTORY, NO_TARGET, 0, 0);
    }

    FileNode makeSymlink(Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException {
        PosixRules.requireSymlinkTarget(target);
        return make(caller, directory, name, attributes, FileType.SYMLINK, ByteBuffer.wrap(target), 0, 0);
    }

    FileNode makeSpecial(
            Caller caller, FileHandle directory, FileName name, Special special, AttributeChanges attributes)
            throws FsException {
        boolean device = special.type() == FileType.BLOCK_DEVICE || special.type() == FileType.CHARACTER_DEVICE;
        if (!device && special.type() != FileType.FIFO && special.type() != FileType.SOCKET) {
            throw FsException.of(FsError.WRONG_TYPE);
        }
        return make(
                caller,
                directory,
                name,
                attributes,
                special.type(),
                NO_TARGET,
                device ? special.deviceMajor() : 0,
                device ? special.deviceMinor() : 0);
    }

    private FileNode make(
            Caller caller,
            FileHandle directory,
            FileName name,
            AttributeChanges attributes,
            FileType type,
            ByteBuffer target,
            int deviceMajor,
            int deviceMinor)
            throws FsException {
        tree.requireFree(name);
        Owners.NewNode node = new Owners.NewNode(type, permissions(attributes), target, deviceMajor, deviceMinor);
        try (Fd parent = tree.openDirectory(directory);
                ChangeSync sync = tree.durability().ofDirectory(parent)) {
            tree.requireAbsent(caller, parent, name);
            tree.authority().requireModifiable(caller, parent);
            requireOwnable(caller, parent, attributes);
            boolean device = type == FileType.BLOCK_DEVICE || type == FileType.CHARACTER_DEVICE;
            if (device && !caller.isSuperuser()) {
                throw FsException.of(FsError.NOT_PERMITTED);
            }
            Fd made;
            try {
                made = tree.owners().make(caller, parent, name, node);
            } catch (ErrnoException e) {
                throw Failure.ofAdding(e);
            }
            try (made) {
                sync.addMade(made, false);
                return finish(new Made(made, null, directory, name), sync, caller, parent, attributes);
            } catch (FsException e) {
                throw ChangeSync.afterChange(e);
            }
        }
    }

    private FileNode nodeAfterResize(Fd file, FileHandle directory, FileName name, ChangeSync sync) throws FsException {
        try {
            if (!tree.durability().hasOneJournal()) {
                // The sync of the new length covers the name only where one journal has both.
                sync.sync();
            }
            return tree.node(file, directory, name);
        } catch (FsException e) {
            throw ChangeSync.afterChange(e);
        }
    }

    private static int permissions(AttributeChanges attributes) {
        Integer wanted = attributes.permissions();
        return wanted == null ? 0 : wanted & PosixJudge.PERMISSION_BITS;
    }

    /** Sets the remaining attributes of a new file, makes it durable, and returns its node. */
    private FileNode finish(Made made, ChangeSync sync, Caller caller, Fd parent, AttributeChanges attributes)
            throws FsException {
        try {
            setRest(caller, made, attributes);
            tree.settle(sync, made.fd(), parent);
            return tree.node(made.fd(), made.directory(), made.name());
        } catch (FsException e) {
            throw ChangeSync.afterChange(e);
        }
    }

    private void setRest(Caller caller, Made made, AttributeChanges attributes) throws FsException {
        AttributeChanges owner = new AttributeChanges(null, attributes.uid(), attributes.gid(), null, null, null);
        if (!owner.isEmpty()) {
            setter.set(caller, made.fd(), owner);
        }
        AttributeChanges rest = new AttributeChanges(
                null, null, null, attributes.sizeBytes(), attributes.accessTime(), attributes.modifyTime());
        if (!rest.isEmpty()) {
            // The caller made the file and may set these, even if the file now belongs to the server's user.
            setter.set(tree.owners().keepCallers() ? caller : SERVER, made.fd(), rest, made.writable());
        }
    }

    /** What is left to be set of {@link PosixRules#withVerifier}. */
    private static AttributeChanges withVerifier(CreateMode.Exclusive mode) {
        AttributeChanges all = PosixRules.withVerifier(mode);
        return new AttributeChanges(null, all.uid(), all.gid(), all.sizeBytes(), all.accessTime(), all.modifyTime());
    }

    private static boolean hasVerifier(Statx statx, long verifier) {
        return new Timestamp(statx.accessSeconds(), statx.accessNanos()).equals(PosixRules.accessTimeOf(verifier))
                && new Timestamp(statx.modifySeconds(), statx.modifyNanos()).equals(PosixRules.modifyTimeOf(verifier));
    }

    /** A new file. {@code writable} is the same descriptor if it is open for writing, else null. */
    private record Made(Fd fd, @Nullable Fd writable, FileHandle directory, FileName name) {}

    /** Type and device number of a special file. */
    record Special(FileType type, int deviceMajor, int deviceMinor) {}
}
