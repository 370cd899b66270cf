package org.warpnfs.fs.ceph;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
import org.warpnfs.fs.spi.FileAttribute;
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

    /** The servers allow 4096 at most ({@code mds_max_snaps_per_dir}), and a directory shows those above it too. */
    private static final int MAX_SNAPSHOTS = 1 << 16;

    private Listing() {}

    /** Lists a directory; {@code wanted} is null if no file is to be looked up. */
    static boolean list(
            Caller caller, Node directory, long cookie, @Nullable Set<FileAttribute> wanted, EntryVisitor visitor)
            throws CephException, FsException {
        boolean withNodes = wanted != null;
        int mask = wanted == null ? 0 : Attributes.mask(wanted);
        boolean ofSnapshots = directory.statx().snapshot() == CephStatx.SNAPSHOT_DIRECTORY;
        if (!ofSnapshots && cookie != 0 && (cookie & (HASH_ORDER | ABOVE_HASH_ORDER)) != HASH_ORDER) {
            throw FsException.of(FsError.BAD_COOKIE);
        }
        PosixJudge.require(caller, directory.protection(caller), Permission.READ);
        boolean maySearch = withNodes
                && !PosixJudge.permissions(caller, directory.protection(caller), EnumSet.of(Permission.EXECUTE))
                        .isEmpty();
        try (UserPerm identity = Identity.of(caller);
                DirectoryStream stream = DirectoryStream.open(directory.mount(), directory.inode(), identity)) {
            if (ofSnapshots) {
                return listSnapshots(directory, stream, cookie, new Shown(withNodes, maySearch, mask), visitor);
            }
            if (cookie != 0) {
                stream.seek(cookie);
            }
            while (true) {
                Entry entry = stream.next(maySearch, mask);
                if (entry == null) {
                    return true;
                }
                DirectoryEntry shown = entry(
                        directory, entry, entry.nextOffset(), node(directory.mounted(), entry.found()), withNodes);
                if (!visitor.visit(shown)) {
                    return false;
                }
            }
        }
    }

    /**
     * What a listing shows of each name.
     *
     * @param asked whether the file was asked for
     * @param allowed whether the caller may see it
     * @param wanted what is read of it, a mask of CEPH_STATX_
     */
    private record Shown(boolean asked, boolean allowed, int wanted) {}

    /**
     * Lists {@code .snap} in the order of the snapshots' numbers, which are the cookies: the library cannot go to a
     * position there. Later snapshots have higher numbers.
     */
    private static boolean listSnapshots(
            Node directory, DirectoryStream stream, long cookie, Shown shown, EntryVisitor visitor)
            throws CephException, FsException {
        Map<Long, DirectoryEntry> later = new TreeMap<>();
        while (true) {
            Entry entry = stream.next(true, shown.wanted);
            if (entry == null) {
                break;
            }
            NameCalls.Found found = entry.found();
            FileNode node = node(directory.mounted(), found);
            if (found == null || found.statx().snapshot() <= cookie) {
                continue;
            }
            if (later.size() == MAX_SNAPSHOTS) {
                throw FsException.of(FsError.IO, "a directory has more than " + MAX_SNAPSHOTS + " snapshots");
            }
            long snapshot = found.statx().snapshot();
            later.put(snapshot, entry(directory, entry, snapshot, shown.allowed ? node : null, shown.asked));
        }
        for (DirectoryEntry each : later.values()) {
            if (!visitor.visit(each)) {
                return false;
            }
        }
        return true;
    }

    private static DirectoryEntry entry(
            Node directory, Entry entry, long cookie, @Nullable FileNode node, boolean asked) throws FsException {
        return new DirectoryEntry(
                FileName.of(entry.name()),
                cookie,
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
