package org.warpnfs.nfs.export;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.idmap.Identities;

/**
 * All exports of a server, and the virtual directories above them. The exports can be {@linkplain #replace replaced}
 * while calls run: each query is answered from either the old or the new set. Safe for any thread.
 *
 * <p>If no export has the path {@code /}, that path is a virtual directory. An export may be below another one, on a
 * directory of it.
 */
public final class ExportTable {
    private final ChangeWindows changeWindows = new ChangeWindows();
    private final Identities identities;
    private volatile ExportTree tree;

    private ExportTable(ExportTree tree, Identities identities) {
        this.tree = tree;
        this.identities = identities;
    }

    /** Makes a table for clients that send the groups of their users, and name users by numbers. */
    public static ExportTable of(List<Export> exports) {
        return of(exports, Identities.NUMERIC);
    }

    /**
     * Makes the table.
     *
     * @param identities groups and names of users, for all exports
     * @throws IllegalArgumentException if two exports have the same path or key, or an export is below another one that
     *     has no such directory
     */
    public static ExportTable of(List<Export> exports, Identities identities) {
        return new ExportTable(ExportTree.of(exports), identities);
    }

    /**
     * Replaces the exports. Handles of exports that are not in the new set become stale.
     *
     * @return the exports whose keys are no longer served
     * @throws IllegalArgumentException as {@link #of}; nothing has changed then
     */
    public synchronized Set<Export> replace(List<Export> exports) {
        ExportTree fresh = ExportTree.of(exports);
        Set<Export> gone = new HashSet<>(tree.exports());
        gone.removeIf(export -> fresh.byKey(export.key()) != null);
        tree = fresh;
        return gone;
    }

    /** The exports in the order in which they were given, without the virtual one. */
    public List<Export> exports() {
        return tree.exports();
    }

    /** The export at exactly {@code path}. */
    public @Nullable Export byPath(PseudoPath path) {
        return tree.byPath(path);
    }

    /** The export by its {@link Export#key()}; 0 names the virtual directories. */
    public @Nullable Export byKey(int key) {
        return tree.byKey(key);
    }

    /** The directory where a client starts: the export at {@code /}, or the virtual root. */
    public Location root() {
        return tree.root();
    }

    /** The root of the export that is mounted on that name of a directory; null if there is none. */
    public @Nullable Location mountedAt(Location directory, FileName name) {
        Export mounted = tree.mountedAt(directory, name);
        return mounted == null ? null : mounted.root();
    }

    /**
     * The root of the export that {@code directory} is the root of, if that export is anywhere below the one it was
     * found in; null if there is none. So it is also if the host has renamed the directory of an export, and clients
     * find it under a name that is no mount point.
     */
    public @Nullable Location mountedAs(Location directory) {
        Export mounted = tree.mountedAs(directory);
        return mounted == null ? null : mounted.root();
    }

    /**
     * Must be called before a name is renamed or replaced by a rename.
     *
     * @throws FsException BUSY if an export is mounted on the name, or below the directory of that name: its path would
     *     lead elsewhere, and the next start would not find it
     */
    public void requireMovable(Caller caller, Location directory, FileName name) throws FsException {
        requireUnmounted(directory, name);
        if (tree.leadsToMounts(directory, caller, name)) {
            throw FsException.of(FsError.BUSY);
        }
    }

    /**
     * Must be called before a name is removed.
     *
     * @throws FsException BUSY if an export is mounted on the name: the change would affect the directory underneath,
     *     which no client sees
     */
    public void requireUnmounted(Location directory, FileName name) throws FsException {
        if (tree.mountedAt(directory, name) != null) {
            throw FsException.of(FsError.BUSY);
        }
    }

    /**
     * False if nothing is mounted on any name of the directory. This is quick, and false for nearly all directories.
     */
    public boolean hasMounts(Location directory) {
        return tree.hasMounts(directory);
    }

    /**
     * The file id of the directory that an export is mounted on; that of its own root if it is mounted on none (RFC
     * 8881, section 5.8.2.23).
     */
    public long mountedOnFileId(Export export) throws FsException {
        return tree.mountedOnFileId(export);
    }

    /**
     * The parent of a directory: if the host has moved it into an export below, the root of that one, where it is the
     * parent. The parent of an export's root is the directory that holds its mount point. The topmost root is its own
     * parent.
     */
    public Location parentOf(Caller caller, Location location) throws FsException {
        Export export = location.export();
        if (export.isPseudo() || !location.isExportRoot()) {
            Location parent = location.sibling(
                    export.fileSystem().lookupParent(caller, location.file()).handle());
            Location mounted = mountedAs(parent);
            return mounted == null ? parent : mounted;
        }
        return tree.above(export);
    }

    /** True if a call may wait for the names of hosts or users, or for the groups of users. */
    public boolean mayWaitForNames() {
        return tree.needsNames() || identities.mayWait();
    }

    /** Groups and names of users. */
    public Identities identities() {
        return identities;
    }

    /**
     * The sender of a call, with the groups that this server uses for it.
     *
     * @throws RpcAuthException as {@link Identity#of}
     */
    public Requester requesterOf(RpcCall call) throws RpcAuthException {
        return Requester.of(call, identities);
    }

    /** Overlapping changes of files, for all programs that serve this table. */
    public ChangeWindows changeWindows() {
        return changeWindows;
    }
}
