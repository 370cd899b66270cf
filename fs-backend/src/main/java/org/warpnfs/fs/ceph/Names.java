package org.warpnfs.fs.ceph;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.NameCalls;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.ceph.libcephfs.XattrCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.Protection;

/** Finds, gives and removes names. */
final class Names {
    private Names() {}

    static FileNode lookup(Caller caller, Node directory, byte[] name) throws CephException {
        try (UserPerm identity = Identity.of(caller);
                Node found = Nodes.lookup(directory, name, identity)) {
            return found.found();
        }
    }

    static FileAttributes link(Caller caller, Node file, Node directory, byte[] name)
            throws CephException, FsException {
        directory.requireDirectory().requireWritable();
        file.requireWritable();
        try (UserPerm identity = Identity.of(caller)) {
            requireAbsent(directory, name, identity);
            if (file.type() == FileType.DIRECTORY) {
                throw FsException.of(FsError.NOT_PERMITTED);
            }
            PosixJudge.requireModifiable(caller, directory.protection(caller));
            NameCalls.link(file.mount(), file.inode(), directory.inode(), name, identity);
            directory.settle();
        }
        return file.attributes();
    }

    private static void requireAbsent(Node directory, byte[] name, UserPerm identity)
            throws CephException, FsException {
        try (Node found = find(directory, name, identity)) {
            if (found != null) {
                throw FsException.of(FsError.EXISTS);
            }
        }
    }

    private static @Nullable Node find(Node directory, byte[] name, UserPerm identity) throws CephException {
        try {
            return Nodes.lookup(directory, name, identity);
        } catch (CephException e) {
            if (e.errno() == CephErrno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    /** @param ofDirectory whether the name has to be that of a directory, or may not be */
    static void remove(Caller caller, Node directory, byte[] name, boolean ofDirectory)
            throws CephException, FsException {
        directory.requireWritable();
        try (UserPerm identity = Identity.of(caller)) {
            remove(caller, directory, name, ofDirectory, identity);
            directory.settle();
        }
    }

    private static void remove(Caller caller, Node directory, byte[] name, boolean ofDirectory, UserPerm identity)
            throws CephException, FsException {
        ReentrantLock removing = directory.mounted().removing();
        removing.lock();
        try (Node found = Nodes.lookup(directory, name, identity)) {
            Protection parent = directory.protection(caller);
            PosixJudge.requireModifiable(caller, parent);
            PosixJudge.requireRemovable(caller, parent, found.protection(Caller.ROOT));
            boolean isDirectory = found.type() == FileType.DIRECTORY;
            if (isDirectory != ofDirectory) {
                throw FsException.of(isDirectory ? FsError.IS_DIRECTORY : FsError.NOT_DIRECTORY);
            }
            if (ofDirectory) {
                NameCalls.removeDirectory(directory.mount(), directory.inode(), name, identity);
            } else {
                NameCalls.unlink(directory.mount(), directory.inode(), name, identity);
            }
        } finally {
            removing.unlock();
        }
    }

    /**
     * Renames. The library of Ceph 16 has a defect: after a rename of a name that is not there, each lookup of the new
     * name waits for ever. So nothing else removes a name of this mount meanwhile.
     */
    static void rename(Caller caller, Node from, byte[] name, Node to, byte[] newName)
            throws CephException, FsException {
        from.requireDirectory().requireWritable();
        to.requireDirectory().requireWritable();
        try (UserPerm identity = Identity.of(caller)) {
            boolean moves = rename(caller, from, name, to, newName, identity);
            from.settle();
            to.settle();
            if (moves) {
                // The library goes on to count the directory among those of its old parent, until it is asked for this.
                XattrCalls.refresh(from.mount(), from.inode());
                XattrCalls.refresh(to.mount(), to.inode());
            }
        }
    }

    /** Returns whether a directory has got another parent. */
    private static boolean rename(Caller caller, Node from, byte[] name, Node to, byte[] newName, UserPerm identity)
            throws CephException, FsException {
        ReentrantLock removing = from.mounted().removing();
        removing.lock();
        try (Node moved = Nodes.lookup(from, name, identity);
                Node replaced = find(to, newName, identity)) {
            if (replaced != null && replaced.isSameFile(moved)) {
                return false;
            }
            PosixRules.requireRenamable(
                    caller,
                    from.protection(caller),
                    moved.protection(caller),
                    to.protection(caller),
                    replaced == null ? null : replaced.protection(Caller.ROOT),
                    !from.isSameFile(to));
            rename(from, name, to, newName, identity);
            return moved.type() == FileType.DIRECTORY && !from.isSameFile(to);
        } finally {
            removing.unlock();
        }
    }

    private static void rename(Node from, byte[] name, Node to, byte[] newName, UserPerm identity)
            throws CephException, FsException {
        try {
            NameCalls.rename(from.mount(), from.inode(), name, to.inode(), newName, identity);
        } catch (CephException e) {
            if (e.errno() == CephErrno.ENOENT) {
                // Another client of Ceph has removed the name, and this mount would hang at the new one.
                throw CephException.of(CephErrno.ESHUTDOWN);
            }
            throw e;
        }
    }
}
