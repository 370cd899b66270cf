package org.warpnfs.nfs.export;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * One set of exports, and what each is mounted on: a virtual directory, or a directory of the export above.
 *
 * <p>A mount point is a directory's handle and a name in it, as in the kernel, so it moves with the directory. If the
 * host has renamed the directory of an export, that export is also found where it is now: it is known by the identity
 * of its root. Immutable; safe for any thread.
 */
final class ExportTree {
    private record MountPoint(Location directory, FileName name) {}

    private final List<Export> exports;
    private final Map<PseudoPath, Export> byPath = new HashMap<>();
    private final Map<Integer, Export> byKey = new HashMap<>();
    private final Map<MountPoint, Export> mounted = new HashMap<>();
    private final Set<Location> withMounts = new HashSet<>();
    /** Exports on directories of others, by the identity of their roots. */
    private final Map<FileIdentity, Export> nested = new HashMap<>();
    /** Directories that lead from the root of an export to exports below it, and those exports' own. */
    private final Set<FileIdentity> leading = new HashSet<>();
    /** For each export, the directory that holds its mount point. */
    private final Map<Export, Location> above = new HashMap<>();

    /** File ids of the directories under kernel mounts, filled on demand. */
    private final Map<Export, Long> mountedOn = new ConcurrentHashMap<>();

    private final Export pseudo;
    private final boolean needsNames;

    private ExportTree(List<Export> exports) {
        this.exports = List.copyOf(exports);
        this.needsNames = exports.stream().anyMatch(export -> export.policy().needsNames());
        for (Export export : exports) {
            add(export);
        }
        // An export below another one is mounted on a real directory.
        PseudoFileSystem directories = new PseudoFileSystem(
                byPath.keySet().stream()
                        .filter(path -> exportAbove(path) == null)
                        .toList(),
                exports.stream().map(export -> export.fileSystem().limits()).toList());
        pseudo = Export.pseudo(directories, flavors());
        byKey.put(Export.PSEUDO_KEY, pseudo);
        exports.forEach(this::place);
    }

    static ExportTree of(List<Export> exports) {
        return new ExportTree(exports);
    }

    /** True if a name service decides who may use an export. */
    boolean needsNames() {
        return needsNames;
    }

    private void add(Export export) {
        Export samePath = byPath.putIfAbsent(export.path(), export);
        if (samePath != null) {
            throw new IllegalArgumentException(
                    "two exports at " + export.path() + ": " + samePath.source() + " and " + export.source());
        }
        Export sameKey = byKey.putIfAbsent(export.key(), export);
        if (sameKey != null) {
            throw new IllegalArgumentException("exports at " + sameKey.path() + " and " + export.path()
                    + (export.traits().fsid() != null && sameKey.traits().fsid() != null
                            ? " have the same fsid"
                            : " have the same key by chance: choose another path for one of them"));
        }
    }

    /**
     * What any export accepts of anyone, in the order of the exports; everything that needs no keys if there is none.
     */
    private List<Flavor> flavors() {
        Set<Flavor> all = new LinkedHashSet<>();
        for (Export export : exports) {
            export.policy().rules().forEach(rule -> all.addAll(rule.options().flavors()));
        }
        return all.isEmpty() ? ExportOptions.DEFAULTS.flavors() : List.copyOf(all);
    }

    private @Nullable Export exportAbove(PseudoPath path) {
        return path.isRoot() ? null : nearest(path.parent());
    }

    private void place(Export export) {
        PseudoPath path = export.path();
        if (path.isRoot()) {
            above.put(export, export.root());
            return;
        }
        Export holder = exportAbove(path);
        Location directory = holder == null
                ? new Location(pseudo, PseudoFileSystem.handleOf(path.parent()))
                : directoryIn(holder, export);
        above.put(export, directory);
        withMounts.add(directory);
        mounted.put(new MountPoint(directory, path.components().getLast()), export);
    }

    /** The directory of {@code holder} that holds the mount point of {@code export}. */
    private Location directoryIn(Export holder, Export export) {
        List<FileName> names = export.path().components();
        FileHandle directory = holder.fileSystem().root();
        nested.put(export.root().identity(), export);
        leading.add(export.root().identity());
        leading.add(holder.root().identity());
        try {
            for (FileName name : names.subList(holder.path().components().size(), names.size() - 1)) {
                directory =
                        holder.fileSystem().lookup(Caller.ROOT, directory, name).handle();
                leading.add(holder.fileSystem().identity(directory));
            }
            requireName(holder, directory, names.getLast());
            return new Location(holder, directory);
        } catch (FsException e) {
            throw new IllegalArgumentException(
                    "the export at " + export.path() + " is below the export at " + holder.path()
                            + ", which has no such directory (" + e.error() + ")",
                    e);
        }
    }

    /** Checks that the name exists: clients find an export in the listing of its parent. */
    private static void requireName(Export holder, FileHandle directory, FileName name) throws FsException {
        try {
            holder.fileSystem().lookup(Caller.ROOT, directory, name);
        } catch (FsException e) {
            // A file system is mounted there. The export serves that file system.
            if (e.error() != FsError.ACCESS) {
                throw e;
            }
        }
    }

    List<Export> exports() {
        return exports;
    }

    @Nullable
    Export byPath(PseudoPath path) {
        return byPath.get(path);
    }

    private @Nullable Export nearest(PseudoPath path) {
        for (PseudoPath at = path; ; at = at.parent()) {
            Export export = byPath.get(at);
            if (export != null || at.isRoot()) {
                return export;
            }
        }
    }

    @Nullable
    Export byKey(int key) {
        return byKey.get(key);
    }

    Location root() {
        Export atRoot = byPath.get(PseudoPath.root());
        return (atRoot == null ? pseudo : atRoot).root();
    }

    @Nullable
    Export mountedAt(Location directory, FileName name) {
        return withMounts.contains(directory) ? mounted.get(new MountPoint(directory, name)) : null;
    }

    @Nullable
    Export mountedAs(Location directory) {
        if (nested.isEmpty()) {
            return null;
        }
        Export export = nested.get(directory.identity());
        return export != null && isBelow(export, directory.export()) ? export : null;
    }

    private boolean isBelow(Export export, Export other) {
        for (Export at = export; !at.isPseudo(); ) {
            Export holder = above(at).export();
            if (holder.isSame(other)) {
                return !other.isSame(export);
            }
            if (holder.isSame(at)) {
                return false;
            }
            at = holder;
        }
        return false;
    }

    boolean leadsToMounts(Location directory, Caller caller, FileName name) {
        if (leading.isEmpty()) {
            return false;
        }
        FileSystem files = directory.fileSystem();
        try {
            return leading.contains(
                    files.identity(files.lookup(caller, directory.file(), name).handle()));
        } catch (FsException e) {
            // What the caller cannot find it cannot rename either. That is answered by whoever tries.
            return false;
        }
    }

    boolean hasMounts(Location directory) {
        return withMounts.contains(directory);
    }

    long mountedOnFileId(Export export) throws FsException {
        Long known = mountedOn.get(export);
        if (known != null) {
            return known;
        }
        Location directory = above(export);
        FileSystem holder = directory.export().fileSystem();
        PseudoPath path = export.path();
        if (path.isRoot() || directory.equals(export.root())) {
            return export.root().attributes(FileAttribute.NONE).fileId();
        }
        FileName name = path.components().getLast();
        try {
            return holder.lookup(Caller.ROOT, directory.file(), name)
                    .attributes()
                    .fileId();
        } catch (FsException e) {
            if (e.error() != FsError.ACCESS) {
                throw e;
            }
        }
        // A file system is mounted there, so only the listing shows the file id of the directory underneath.
        long[] found = {export.root().attributes(FileAttribute.NONE).fileId()};
        boolean _ = holder.list(Caller.ROOT, directory.file(), 0, false, entry -> {
            boolean isIt = entry.name().equals(name);
            if (isIt) {
                found[0] = entry.fileId();
            }
            return !isIt;
        });
        mountedOn.put(export, found[0]);
        return found[0];
    }

    Location above(Export export) {
        Location directory = above.get(export);
        // If the export belongs to an earlier set, the one that replaced it has the same mount point.
        return directory != null
                ? directory
                : Objects.requireNonNullElseGet(byPath.get(export.path()), () -> export)
                        .root();
    }
}
