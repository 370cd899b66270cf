package org.warpnfs.fs.ceph;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.NameCalls;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Protection;

/** Creates files of every type, as their caller. */
final class Creator {
    private static final int SYMLINK_PERMISSIONS = 0777;

    private Creator() {}

    /** Makes a file in a directory, and says what it made. */
    @FunctionalInterface
    private interface Making {
        NameCalls.Found as(UserPerm identity, int permissions) throws CephException;
    }

    static Created create(Caller caller, Node directory, byte[] name, CreateMode mode)
            throws CephException, FsException {
        directory.requireWritable();
        while (true) {
            try (UserPerm identity = Identity.of(caller);
                    Node found = findIn(directory, name, identity)) {
                if (found != null) {
                    return new Created(existing(caller, directory, found, mode), false);
                }
            }
            AttributeChanges wanted = mode instanceof CreateMode.Exclusive exclusive
                    ? PosixRules.withVerifier(exclusive)
                    : mode.attributes();
            try {
                FileNode made = make(
                        caller,
                        directory,
                        FileType.REGULAR,
                        wanted,
                        (identity, permissions) ->
                                NameCalls.create(directory.mount(), directory.inode(), name, permissions, identity));
                return new Created(made, true);
            } catch (CephException e) {
                if (e.errno() != CephErrno.EEXIST) {
                    throw e;
                }
                // Another file was created after the lookup.
            }
        }
    }

    private static @Nullable Node findIn(Node directory, byte[] name, UserPerm identity) throws CephException {
        try {
            return Nodes.lookup(directory, name, identity);
        } catch (CephException e) {
            if (e.errno() == CephErrno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    /** Answers when the name is on stable storage: whoever made it may not have got as far. */
    private static FileNode existing(Caller caller, Node directory, Node found, CreateMode mode)
            throws CephException, FsException {
        switch (mode) {
            case CreateMode.Guarded _ -> throw FsException.of(FsError.EXISTS);
            case CreateMode.Exclusive exclusive -> {
                FileAttributes attributes = found.attributes();
                if (!PosixRules.isMadeBy(caller, exclusive, attributes)) {
                    throw FsException.of(FsError.EXISTS);
                }
                directory.settle();
                found.settle();
                return new FileNode(found.handle(), attributes);
            }
            case CreateMode.Unchecked unchecked -> {
                PosixRules.requireRegular(found.type());
                directory.settle();
                Long sizeBytes = unchecked.attributes().sizeBytes();
                if (sizeBytes != null) {
                    return new FileNode(
                            found.handle(), AttributeSetter.set(caller, found, AttributeChanges.ofSize(sizeBytes)));
                }
                return found.found();
            }
        }
    }

    static FileNode makeDirectory(Caller caller, Node directory, byte[] name, AttributeChanges attributes)
            throws CephException, FsException {
        return makeNew(
                caller,
                directory,
                name,
                FileType.DIRECTORY,
                attributes,
                (identity, permissions) ->
                        NameCalls.makeDirectory(directory.mount(), directory.inode(), name, permissions, identity));
    }

    static FileNode makeSymlink(Caller caller, Node directory, byte[] name, byte[] target, AttributeChanges attributes)
            throws CephException, FsException {
        AttributeChanges withPermissions = new AttributeChanges(
                SYMLINK_PERMISSIONS,
                attributes.uid(),
                attributes.gid(),
                null,
                attributes.accessTime(),
                attributes.modifyTime());
        return makeNew(
                caller,
                directory,
                name,
                FileType.SYMLINK,
                withPermissions,
                (identity, _) -> NameCalls.makeSymlink(directory.mount(), directory.inode(), name, target, identity));
    }

    static FileNode makeSpecial(
            Caller caller, Node directory, byte[] name, Special special, AttributeChanges attributes)
            throws CephException, FsException {
        FileType type = special.type();
        boolean isDevice = type == FileType.BLOCK_DEVICE || type == FileType.CHARACTER_DEVICE;
        if (!isDevice && type != FileType.FIFO && type != FileType.SOCKET) {
            throw FsException.of(FsError.WRONG_TYPE);
        }
        return makeNew(caller, directory, name, type, attributes, (identity, permissions) -> {
            if (isDevice && !caller.isSuperuser()) {
                throw CephException.of(CephErrno.EPERM);
            }
            if (isDevice && (special.major() >>> 12 != 0 || special.minor() >>> 20 != 0)) {
                throw CephException.of(CephErrno.EINVAL);
            }
            long device = isDevice ? Attributes.device(special.major(), special.minor()) : 0;
            return NameCalls.makeNode(
                    directory.mount(), directory.inode(), name, Attributes.bits(type) | permissions, device, identity);
        });
    }

    /** Type and device number of a special file. */
    record Special(FileType type, int major, int minor) {}

    private static FileNode makeNew(
            Caller caller, Node directory, byte[] name, FileType type, AttributeChanges attributes, Making making)
            throws CephException, FsException {
        directory.requireWritable();
        try (UserPerm identity = Identity.of(caller);
                Node found = findIn(directory, name, identity)) {
            if (found != null) {
                throw FsException.of(FsError.EXISTS);
            }
        }
        return make(caller, directory, type, attributes, making);
    }

    private static FileNode make(
            Caller caller, Node directory, FileType type, AttributeChanges attributes, Making making)
            throws CephException, FsException {
        Protection parent = directory.protection(caller);
        PosixJudge.requireModifiable(caller, parent);
        PosixJudge.requireOwnable(caller, parent.permissions(), parent.gid(), attributes);
        Integer wanted = attributes.permissions();
        int permissions = PosixJudge.permissionsOfNew(caller, parent, type, wanted == null ? 0 : wanted);
        try (UserPerm identity = Identity.of(caller);
                Node node = new Node(directory.mounted(), made(making, identity, permissions))) {
            return finish(caller, directory, node, attributes);
        }
    }

    private static NameCalls.Found made(Making making, UserPerm identity, int permissions)
            throws CephException, FsException {
        try {
            return making.as(identity, permissions);
        } catch (CephException e) {
            if (e.errno() == CephErrno.ENOENT) {
                // The directory itself was removed meanwhile.
                throw FsException.of(FsError.STALE);
            }
            throw e;
        }
    }

    private static FileNode finish(Caller caller, Node directory, Node made, AttributeChanges attributes)
            throws FsException {
        try {
            return set(caller, directory, made, attributes);
        } catch (CephException e) {
            throw Failure.afterChange(e);
        }
    }

    private static FileNode set(Caller caller, Node directory, Node made, AttributeChanges attributes)
            throws CephException, FsException {
        AttributeChanges rest = new AttributeChanges(
                null,
                attributes.uid(),
                attributes.gid(),
                attributes.sizeBytes(),
                attributes.accessTime(),
                attributes.modifyTime());
        if (rest.isEmpty()) {
            directory.settle();
            return made.found();
        }
        AttributeSetter.change(caller, made, rest);
        directory.settle();
        made.settle();
        return new FileNode(made.handle(), made.attributes());
    }
}
