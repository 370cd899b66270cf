package org.warpnfs.fs.ceph;

import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.ceph.libcephfs.DirectoryStream;
import org.warpnfs.fs.ceph.libcephfs.DirectoryStream.Entry;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.ceph.libcephfs.NameCalls;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.EntryVisitor;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixJudge;

/**
 * Lists directories. A cookie is the position after an entry as Ceph has it: the hash of the name, so that it stays
 * valid while other names come and go, and at every gateway.
 */
final class Listing {
    /**
     * The bits that each position in the order of hashes has, and those that none has. The library ends the process
     * over a position that it cannot have made.
     */
    private static final long HASH_ORDER = 0xffL << 52;

    private static final long ABOVE_HASH_ORDER = 0xfL << 60;

    private Listing() {}

    static boolean list(Caller caller, Node directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws CephException, FsException {
        if (cookie != 0 && (cookie & (HASH_ORDER | ABOVE_HASH_ORDER)) != HASH_ORDER) {
            throw FsException.of(FsError.BAD_COOKIE);
        }
        PosixJudge.require(caller, directory.protection(caller), Permission.READ);
        boolean maySearch = withNodes
                && !PosixJudge.permissions(caller, directory.protection(caller), EnumSet.of(Permission.EXECUTE))
                        .isEmpty();
        try (UserPerm identity = Identity.of(caller);
                DirectoryStream stream = DirectoryStream.open(directory.mount(), directory.inode(), identity)) {
            if (cookie != 0) {
                stream.seek(cookie);
            }
            while (true) {
                Entry entry = stream.next(maySearch);
                if (entry == null) {
                    return true;
                }
                if (!visitor.visit(entry(directory, entry, withNodes))) {
                    return false;
                }
            }
        }
    }

    private static DirectoryEntry entry(Node directory, Entry entry, boolean asked) throws FsException {
        FileNode node = node(directory.mounted(), entry.found());
        return new DirectoryEntry(
                FileName.of(entry.name()),
                entry.nextOffset(),
                fileId(directory, entry, node),
                node == null ? Attributes.type(entry.type()) : node.attributes().type(),
                node,
                asked && node == null ? FsError.ACCESS : null);
    }

    /** Below {@code .snap} each name has the number of the directory that was frozen, in a snapshot not named here. */
    private static long fileId(Node directory, Entry entry, @Nullable FileNode node) {
        if (node != null) {
            return node.attributes().fileId();
        }
        long snapshot = directory.statx().snapshot();
        return snapshot == CephStatx.SNAPSHOT_DIRECTORY ? entry.inode() : Attributes.fileId(entry.inode(), snapshot);
    }

    private static @Nullable FileNode node(Mounted mounted, NameCalls.@Nullable Found found) {
        if (found == null) {
            return null;
        }
        try {
            return new FileNode(
                    Handles.of(
                            mounted.fileSystem(),
                            found.statx().inode(),
                            found.statx().snapshot()),
                    Attributes.of(found.statx(), mounted.fileSystem()));
        } finally {
            InodeCalls.put(mounted.mount(), found.inode());
        }
    }
}
