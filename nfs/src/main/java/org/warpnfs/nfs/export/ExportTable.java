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
 * All exports of a server, and the virtual directories above them. What is served can be {@linkplain #replace replaced}
 * while calls run: each question is answered by one set of exports or the other. Safe for any thread.
 *
 * <p>Either one export stands at {@code /}, or none does and {@code /} is a virtual directory. An export may stand
 * below another, on a directory of that.
 */
public final class ExportTable {
    private final ChangeWindows changeWindows = new ChangeWindows();
    private final Identities identities;
    private volatile ExportTree tree;

    private ExportTable(ExportTree tree, Identities identities) {
        this.tree = tree;
        this.identities = identities;
    }

    /** As the other, where clients say who is in which group, and call users by numbers. */
    public static ExportTable of(List<Export> exports) {
        return of(exports, Identities.NUMERIC);
    }

    /**
     * Makes the table.
     *
     * @param identities who is who, in all exports
     * @throws IllegalArgumentException if two exports share a path or a key, or one stands below another where that has
     *     no directory
     */
    public static ExportTable of(List<Export> exports, Identities identities) {
        return new ExportTable(ExportTree.of(exports), identities);
    }

    /**
     * Serves these from now on. Handles of exports that are not among them any more are stale.
     *
     * @return those that were served before and are not any more, by their keys
     * @throws IllegalArgumentException as {@link #of}; nothing has changed then
     */
    public synchronized Set<Export> replace(List<Export> exports) {
        ExportTree fresh = ExportTree.of(exports);
        Set<Export> gone = new HashSet<>(tree.exports());
        gone.removeIf(export -> fresh.byKey(export.key()) != null);
        tree = fresh;
        return gone;
    }

    /** In the order in which they were given, without the virtual one. */
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

    /** Where a client that knows nothing begins: the export at {@code /}, or the virtual root. */
    public Location root() {
        return tree.root();
    }

    /** The root of the export that stands on that name of a directory; null if none does. */
    public @Nullable Location mountedAt(Location directory, FileName name) {
        Export mounted = tree.mountedAt(directory, name);
        return mounted == null ? null : mounted.root();
    }

    /**
     * Before a name is removed, renamed or replaced.
     *
     * @throws FsException BUSY if an export stands on it: what would be changed is the directory underneath, which
     *     nobody sees
     */
    public void requireUnmounted(Location directory, FileName name) throws FsException {
        if (tree.mountedAt(directory, name) != null) {
            throw FsException.of(FsError.BUSY);
        }
    }

    /** True if something may be mounted on a name of the directory: a quick no for nearly all directories. */
    public boolean hasMounts(Location directory) {
        return tree.hasMounts(directory);
    }

    /**
     * The file id of the directory on which an export stands; its root's own where there is none (RFC 8881, section
     * 5.8.2.23).
     */
    public long mountedOnFileId(Export export) throws FsException {
        return tree.mountedOnFileId(export);
    }

    /**
     * The directory above: from the root of an export the one that holds its mount point. The root of all is above
     * itself.
     */
    public Location parentOf(Caller caller, Location location) throws FsException {
        Export export = location.export();
        if (export.isPseudo() || !location.isExportRoot()) {
            return location.sibling(
                    export.fileSystem().lookupParent(caller, location.file()).handle());
        }
        return tree.above(export);
    }

    /** Who is who. */
    public Identities identities() {
        return identities;
    }

    /**
     * Who makes a call, with the groups that count here.
     *
     * @throws RpcAuthException as {@link Identity#of}
     */
    public Requester requesterOf(RpcCall call) throws RpcAuthException {
        return Requester.of(call, identities.groups());
    }

    /** Which changes overlap, for all programs that serve this table. */
    public ChangeWindows changeWindows() {
        return changeWindows;
    }
}
