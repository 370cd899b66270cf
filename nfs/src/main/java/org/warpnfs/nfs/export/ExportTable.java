package org.warpnfs.nfs.export;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FsException;

/**
 * All exports of a server, and the virtual directories above them. Immutable; safe for any thread.
 *
 * <p>Either one export stands at {@code /}, or none does and {@code /} is a virtual directory.
 */
public final class ExportTable {
    private final List<Export> exports;
    private final Map<PseudoPath, Export> byPath = new HashMap<>();
    private final Map<Integer, Export> byKey = new HashMap<>();
    private final PseudoFileSystem pseudoFileSystem;
    private final Export pseudo;
    private final ChangeWindows changeWindows = new ChangeWindows();

    private ExportTable(List<Export> exports) {
        this.exports = List.copyOf(exports);
        for (Export export : exports) {
            add(export);
        }
        pseudoFileSystem = new PseudoFileSystem(byPath.keySet());
        pseudo = Export.pseudo(pseudoFileSystem);
        byKey.put(Export.PSEUDO_KEY, pseudo);
    }

    /**
     * Makes the table.
     *
     * @throws IllegalArgumentException if two exports share a path or a key, or one stands below another
     */
    public static ExportTable of(List<Export> exports) {
        return new ExportTable(exports);
    }

    private void add(Export export) {
        for (Export other : byPath.values()) {
            if (export.path().equals(other.path())) {
                throw new IllegalArgumentException(
                        "two exports at " + export.path() + ": " + other.source() + " and " + export.source());
            }
            if (export.path().isWithin(other.path()) || other.path().isWithin(export.path())) {
                throw new IllegalArgumentException("exports at " + other.path() + " and " + export.path()
                        + ": one stands below the other, where clients would not find it");
            }
            if (export.key() == other.key()) {
                throw new IllegalArgumentException("exports at " + other.path() + " and " + export.path()
                        + " have the same key by chance: choose another path for one of them");
            }
        }
        byPath.put(export.path(), export);
        byKey.put(export.key(), export);
    }

    /** In the order in which they were given, without the virtual one. */
    public List<Export> exports() {
        return exports;
    }

    /** The export at exactly {@code path}. */
    public @Nullable Export byPath(PseudoPath path) {
        return byPath.get(path);
    }

    /** The export by its {@link Export#key()}; 0 names the virtual directories. */
    public @Nullable Export byKey(int key) {
        return byKey.get(key);
    }

    /** Where a client that knows nothing begins: the export at {@code /}, or the virtual root. */
    public Location root() {
        return cross(pseudo.root());
    }

    /** From a virtual directory where an export is mounted to that export's root; any other location as it is. */
    public Location cross(Location location) {
        if (!location.export().isPseudo()) {
            return location;
        }
        PseudoPath path = pseudoFileSystem.pathOf(location.file());
        Export mounted = path == null ? null : byPath.get(path);
        return mounted == null ? location : mounted.root();
    }

    /**
     * The directory above: from the root of an export the virtual directory that holds its mount point. The root of all is
     * above itself.
     */
    public Location parentOf(Caller caller, Location location) throws FsException {
        Export export = location.export();
        if (export.isPseudo() || !location.isExportRoot()) {
            return location.sibling(
                    export.fileSystem().lookupParent(caller, location.file()).handle());
        }
        if (export.path().isRoot()) {
            return location;
        }
        return new Location(pseudo, PseudoFileSystem.handleOf(export.path().parent()));
    }

    /** Which changes overlap, for all programs that serve this table. */
    public ChangeWindows changeWindows() {
        return changeWindows;
    }
}
