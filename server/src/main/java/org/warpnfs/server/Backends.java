package org.warpnfs.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.Place;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.Budgets;
import org.warpnfs.server.limits.LayerLimits;
import org.warpnfs.server.metrics.BackendTimes;
import org.warpnfs.server.metrics.TimedFileSystem;

/**
 * The file systems that a server serves, opened as its configuration says.
 *
 * <p>A directory that is exported more than once, also through a symbolic link, is one file system: its files have one
 * set of descriptors and handles. A directory within another, and a bind mount, which may forbid what the other allows,
 * has one of its own; its files have the same {@linkplain FileSystem#identity identity} as through the other, so that
 * locks and delegations hold for both.
 */
final class Backends implements AutoCloseable {
    /**
     * As /tmp: under root_squash a client's root is nobody, who could do nothing with a directory of the server's user.
     */
    private static final int FOR_EVERYONE = 01777;

    /** A file in memory costs about this much beside its contents; the capacity in files follows. */
    private static final long BYTES_PER_FILE = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(Backends.class);

    /**
     * A directory that is served.
     *
     * @param path without symbolic links
     * @param device of the directory, so that what was mounted there since is told from what was there before
     * @param inode likewise
     */
    private record Directory(Path path, Object device, Object inode) {}

    private final Map<Directory, FileSystem> byDirectory = new LinkedHashMap<>();
    /** Those in memory, by where clients find them. */
    private final Map<PseudoPath, FileSystem> byPath = new LinkedHashMap<>();

    private final ServerConfig config;
    private final Budgets.Plan plan;
    private final @Nullable StateDirectory state;

    private Backends(ServerConfig config, Budgets.Plan plan, @Nullable StateDirectory state) {
        this.config = config;
        this.plan = plan;
        this.state = state;
    }

    static Backends none(ServerConfig config, Budgets.Plan plan, @Nullable StateDirectory state) {
        return new Backends(config, plan, state);
    }

    /**
     * Opens every export that the server was told of.
     *
     * @throws ConfigException naming the export that cannot be served; what was opened is closed by {@link #close()}
     */
    ExportTable open() throws ConfigException {
        try {
            return ExportTable.of(exportsOf(config.exports()), WhoIsWho.replaceable(config.identities()));
        } catch (IllegalArgumentException e) {
            throw new ConfigException("exports: " + e.getMessage(), e);
        }
    }

    /**
     * Exports as they are wanted now. What is open already is used again; {@link #closeAllBut} closes what is not
     * needed any more.
     *
     * @throws ConfigException naming the export that cannot be served
     */
    synchronized List<Export> exportsOf(List<ExportSpec> specs) throws ConfigException {
        List<Export> exports = new ArrayList<>();
        Set<PseudoPath> explicit = new HashSet<>();
        for (ExportSpec spec : specs) {
            explicit.add(pathOf(spec));
        }
        for (ExportSpec spec : specs) {
            Path directory = spec.directory();
            if (directory == null || config.backend() == Backend.MEMORY) {
                exports.add(Export.of(pathOf(spec), openMemory(pathOf(spec)), spec.policy(), spec.traits(), "memory"));
            } else if (isMountedAsRequired(spec)) {
                exports.add(Export.of(
                        pathOf(spec),
                        openLocal(spec.place(), directory),
                        spec.policy(),
                        spec.traits(),
                        directory.toAbsolutePath().normalize().toString()));
                if (spec.traits().crossesMounts()) {
                    exports.addAll(mountedBelow(spec, directory, explicit));
                }
            }
        }
        return List.copyOf(exports);
    }

    /**
     * {@code mountpoint} of exports(5): so that nobody fills the directory below when the file system is not mounted.
     */
    private static boolean isMountedAsRequired(ExportSpec spec) throws ConfigException {
        Path required = spec.requiredMount();
        if (required == null) {
            return true;
        }
        try {
            boolean mounted = MountPoints.below(Path.of("/")).contains(required.toRealPath());
            if (!mounted) {
                LOG.warn(
                        "{}: {} is not served, since nothing is mounted at {}",
                        spec.place(),
                        spec.directory(),
                        required);
            }
            return mounted;
        } catch (IOException e) {
            throw new ConfigException(spec.place() + ": mountpoint " + required + ": " + e, e);
        }
    }

    /** {@code crossmnt}: what is mounted below is served to the same clients, each file system by itself. */
    private List<Export> mountedBelow(ExportSpec spec, Path directory, Set<PseudoPath> explicit)
            throws ConfigException {
        List<Export> exports = new ArrayList<>();
        try {
            Path top = directory.toRealPath();
            for (Path mountPoint : MountPoints.below(top)) {
                PseudoPath path = PseudoPath.of(pathOf(spec) + "/" + top.relativize(mountPoint));
                if (explicit.add(path)) {
                    ExportTraits traits = ExportTraits.DEFAULTS
                            .withCrossesMounts(true)
                            .withReadDirPlus(spec.traits().readDirPlus());
                    addIfServed(exports, mountPoint, spec, path, traits);
                }
            }
        } catch (IOException e) {
            throw new ConfigException(spec.place() + ": " + e, e);
        }
        return exports;
    }

    private void addIfServed(
            List<Export> exports, Path mountPoint, ExportSpec spec, PseudoPath path, ExportTraits traits) {
        try {
            exports.add(
                    Export.of(path, openLocal(spec.place(), mountPoint), spec.policy(), traits, mountPoint.toString()));
        } catch (ConfigException e) {
            // Such as proc, whose files have no handles.
            LOG.warn("what is mounted at {} is not served: {}", mountPoint, e.getMessage());
        }
    }

    private FileSystem openLocal(Place place, Path directory) throws ConfigException {
        try {
            if (directory.equals(ServerConfig.DEFAULT_EXPORT) && !Files.exists(directory)) {
                // What clients are told is stable in it would go with it.
                new DurableDirectories(DurableDirectories::sync).make(directory);
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
                Files.setAttribute(directory, "unix:mode", FOR_EVERYONE);
            }
            Path real = Files.exists(directory) ? directory.toRealPath() : directory;
            Directory key = Files.exists(real)
                    ? new Directory(real, Files.getAttribute(real, "unix:dev"), Files.getAttribute(real, "unix:ino"))
                    : new Directory(real, 0, 0);
            FileSystem known = byDirectory.get(key);
            if (known != null) {
                return known;
            }
            FileSystem opened = TimedFileSystem.of(
                    LocalFileSystem.open(
                            directory,
                            LayerLimits.local(plan.limits())
                                    .withStateDirectory(
                                            Objects.requireNonNull(state).part(tableName(real)))),
                    BackendTimes.ofProcess());
            byDirectory.put(key, opened);
            return opened;
        } catch (IOException e) {
            throw new ConfigException(place + ": " + directory + ": " + e.getMessage(), e);
        }
    }

    /**
     * Closes the file systems that these exports do not use; calls under way in them end first, later ones find them
     * gone.
     *
     * @return what was closed
     */
    synchronized List<FileSystem> closeAllBut(List<Export> served) {
        Set<FileSystem> used = Collections.newSetFromMap(new IdentityHashMap<>());
        served.forEach(export -> used.add(export.fileSystem()));
        List<FileSystem> unused = new ArrayList<>();
        for (Map<?, FileSystem> open : List.of(byDirectory, byPath)) {
            open.values().removeIf(fileSystem -> !used.contains(fileSystem) && unused.add(fileSystem));
        }
        unused.forEach(FileSystem::close);
        return unused;
    }

    private FileSystem openMemory(PseudoPath path) {
        FileSystem known = byPath.get(path);
        if (known != null) {
            return known;
        }
        long bytes = plan.memoryExportBytes();
        FileSystem memory = TimedFileSystem.of(
                new MemoryFileSystem(bytes, Math.max(1024, bytes / BYTES_PER_FILE)), BackendTimes.ofProcess());
        try {
            byPath.put(path, memory);
            memory.setAttributes(Caller.ROOT, memory.root(), AttributeChanges.ofPermissions(FOR_EVERYONE));
        } catch (FsException e) {
            throw new IllegalStateException("a new file system in memory refuses its superuser", e);
        }
        return memory;
    }

    private static PseudoPath pathOf(ExportSpec spec) {
        return Objects.requireNonNull(spec.pseudoPath(), "an export without a place");
    }

    /** A directory's handle table belongs to the directory, wherever clients find it. */
    private static String tableName(Path directory) {
        return "handles-"
                + Integer.toHexString(
                        directory.toAbsolutePath().normalize().toString().hashCode());
    }

    @Override
    public void close() {
        List<FileSystem> _ = closeAllBut(List.of());
    }
}
