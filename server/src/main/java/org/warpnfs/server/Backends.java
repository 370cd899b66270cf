package org.warpnfs.server;

import com.google.common.hash.Hashing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.idmap.Identities;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.DataPath.OnOff;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.Place;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.config.TlsChoice;
import org.warpnfs.server.limits.Budgets;
import org.warpnfs.server.limits.LayerLimits;
import org.warpnfs.server.metrics.BackendTimes;
import org.warpnfs.server.metrics.TimedFileSystem;
import org.warpnfs.server.plugins.ChosenBackend;
import org.warpnfs.server.plugins.Plugins;
import org.warpnfs.stable.StableFiles;

/**
 * Opens and owns the file systems of a server.
 *
 * <p>A directory that is exported more than once, also through a symbolic link, is one file system: its files have one
 * set of descriptors and handles. A directory within another has a file system of its own, and so has a bind mount,
 * which may have other mount options. Their files have the same {@linkplain FileSystem#identity identity} as through
 * the other, so that locks and delegations apply to both.
 */
final class Backends implements AutoCloseable {
    /**
     * The mode of /tmp: root_squash maps a client's root to nobody, who could not write to a directory of the server's
     * user.
     */
    private static final int FOR_EVERYONE = 01777;

    /** The approximate size of a file in memory beside its contents; determines the capacity in files. */
    private static final long BYTES_PER_FILE = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(Backends.class);

    /**
     * The identity of a served directory.
     *
     * @param path without symbolic links
     * @param device its device, which changes if another file system is mounted there
     * @param inode its inode number
     */
    private record Directory(Path path, Object device, Object inode) {}

    private record Opened(FileSystem files, LocalOptions.Identity identity) {}

    private final Map<Directory, Opened> byDirectory = new LinkedHashMap<>();
    /** The file systems in memory, by their paths for clients. */
    private final Map<PseudoPath, FileSystem> byPath = new LinkedHashMap<>();
    /** The file systems of a plug-in, by what they serve. */
    private final Map<String, FileSystem> bySource = new LinkedHashMap<>();

    private final ServerConfig config;
    private final Budgets.Plan plan;
    private final @Nullable StateDirectory state;
    private final @Nullable ClusterSeat seat;
    /** How many file systems of the host are open. */
    private volatile int trees;
    /** The backend of a plug-in; null before it is needed. */
    private @Nullable ChosenBackend plugin;

    private Backends(
            ServerConfig config, Budgets.Plan plan, @Nullable StateDirectory state, @Nullable ClusterSeat seat) {
        this.config = config;
        this.plan = plan;
        this.state = state;
        this.seat = seat;
    }

    /** @param seat of a server in a cluster, which is told what is opened */
    static Backends none(
            ServerConfig config, Budgets.Plan plan, @Nullable StateDirectory state, @Nullable ClusterSeat seat) {
        return new Backends(config, plan, state, seat);
    }

    /**
     * Opens all configured exports.
     *
     * @throws ConfigException if an export cannot be served; it names the export. {@link #close()} closes what was
     *     opened
     */
    ExportTable open() throws ConfigException {
        try {
            return ExportTable.of(exportsOf(config.exports()), identities());
        } catch (IllegalArgumentException e) {
            throw new ConfigException("exports: " + e.getMessage(), e);
        }
    }

    private Identities identities() throws ConfigException {
        Identities identities = WhoIsWho.replaceable(config.identities());
        TlsChoice tls = config.tls();
        return tls == null ? identities : identities.withCertificates(tls.users());
    }

    /**
     * Opens a new list of exports. File systems that are already open are used again; {@link #closeAllBut} closes those
     * that are no longer needed.
     *
     * @throws ConfigException if an export cannot be served; it names the export
     */
    synchronized List<Export> exportsOf(List<ExportSpec> specs) throws ConfigException {
        for (ExportSpec spec : specs) {
            spec.requireIdentityOf(config.backend());
        }
        List<Export> exports = new ArrayList<>();
        Set<PseudoPath> explicit = new HashSet<>();
        for (ExportSpec spec : specs) {
            explicit.add(pathOf(spec));
        }
        for (ExportSpec spec : specs) {
            Path directory = spec.directory();
            if (config.backend() == Backend.PLUGIN) {
                if (isMountedAsRequired(spec)) {
                    exports.add(ofPlugin(spec));
                }
            } else if (directory == null || config.backend() == Backend.MEMORY) {
                exports.add(Export.of(pathOf(spec), openMemory(pathOf(spec)), spec.policy(), spec.traits(), "memory"));
            } else if (isMountedAsRequired(spec)) {
                exports.add(ofLocal(
                        spec,
                        pathOf(spec),
                        directory,
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
     * Checks {@code mountpoint} of exports(5): if the file system is not mounted, clients must not write to the
     * directory below.
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
                        "{}: {} is not served, because nothing is mounted at {}",
                        spec.place(),
                        spec.directory(),
                        required);
            }
            return mounted;
        } catch (IOException e) {
            throw new ConfigException(spec.place() + ": mountpoint " + required + ": " + e, e);
        }
    }

    /**
     * Implements {@code crossmnt}: the file systems mounted below are served to the same clients, each as an export of
     * its own.
     */
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
            exports.add(ofLocal(spec, path, mountPoint, traits, mountPoint.toString()));
        } catch (ConfigException e) {
            // For instance proc, whose files have no handles.
            LOG.warn("the file system mounted at {} is not served: {}", mountPoint, e.getMessage());
        }
    }

    /** Where files cannot belong to their creators, every caller is the one user to whom they belong. */
    private Export ofLocal(ExportSpec spec, PseudoPath path, Path directory, ExportTraits traits, String source)
            throws ConfigException {
        FileSystem files = openLocal(spec.place(), directory, spec.identity());
        ExportPolicy policy = spec.policy();
        if (!files.actsAsCaller()) {
            Caller one = LocalFileSystem.serversUser();
            policy = policy.forOneUser(one.uid(), one.gid());
            LOG.info(
                    "{}: {}: every client acts as user {} and group {}, and all files that clients make belong to them",
                    spec.place(),
                    directory,
                    one.uid(),
                    one.gid());
        }
        return Export.of(path, files, policy, traits, source);
    }

    /** Where the server can act as its callers, one user is the anonymous one of the export. */
    private static LocalOptions.Identity identity(ExportSpec.Identity wanted) throws IOException {
        return switch (wanted) {
            case DEFAULT -> LocalOptions.Identity.BEST;
            case CALLER -> LocalOptions.Identity.CALLER;
            case MAPPED -> LocalOptions.Identity.MAPPED;
            case ONE -> LocalFileSystem.canActAsCallers() ? LocalOptions.Identity.CALLER : LocalOptions.Identity.ONE;
        };
    }

    private FileSystem openLocal(Place place, Path directory, ExportSpec.Identity wanted) throws ConfigException {
        try {
            if (directory.equals(ServerConfig.DEFAULT_EXPORT) && !Files.exists(directory)) {
                // If the directory were lost, so would be data that clients were told are stable.
                new DurableDirectories(StableFiles::sync).make(directory);
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
                Files.setAttribute(directory, "unix:mode", FOR_EVERYONE);
            }
            Path real = Files.exists(directory) ? directory.toRealPath() : directory;
            Directory key = Files.exists(real)
                    ? new Directory(real, Files.getAttribute(real, "unix:dev"), Files.getAttribute(real, "unix:ino"))
                    : new Directory(real, 0, 0);
            LocalOptions.Identity identity = identity(wanted);
            Opened known = byDirectory.get(key);
            if (known != null) {
                if (known.identity() != identity) {
                    throw new ConfigException(place + ": " + directory
                            + ": is served with another identity= already; give each export of it the same, and"
                            + " restart the server to change it");
                }
                return known.files();
            }
            FileSystem opened = TimedFileSystem.of(
                    LocalFileSystem.open(
                            directory,
                            LayerLimits.local(plan.limits())
                                    .withRanges(config.dataPath().splice() == OnOff.ON)
                                    .withSyncWaits(new LaneSyncWaits())
                                    .withIdentity(identity)
                                    .withTrees(() -> Math.max(1, trees))
                                    .withStateDirectory(
                                            Objects.requireNonNull(state).part(tableName(real)))),
                    BackendTimes.ofProcess());
            byDirectory.put(key, new Opened(opened, identity));
            trees = byDirectory.size();
            return opened;
        } catch (IOException e) {
            throw new ConfigException(place + ": " + directory + ": " + e.getMessage(), e);
        }
    }

    /**
     * Closes the file systems that these exports do not use. Calls under way in them end first; later calls get an
     * error.
     *
     * @return the closed file systems
     */
    synchronized List<FileSystem> closeAllBut(List<Export> served) {
        Set<FileSystem> used = Collections.newSetFromMap(new IdentityHashMap<>());
        served.forEach(export -> used.add(export.fileSystem()));
        List<FileSystem> unused = new ArrayList<>();
        byDirectory.values().removeIf(open -> !used.contains(open.files()) && unused.add(open.files()));
        for (Map<?, FileSystem> open : List.of(byPath, bySource)) {
            open.values().removeIf(fileSystem -> !used.contains(fileSystem) && unused.add(fileSystem));
        }
        trees = byDirectory.size();
        unused.forEach(FileSystem::close);
        return unused;
    }

    private FileSystem openMemory(PseudoPath path) {
        FileSystem known = byPath.get(path);
        if (known != null) {
            return known;
        }
        long bytes = plan.memoryExportBytes();
        long files = Math.max(1024, bytes / BYTES_PER_FILE);
        FileSystem memory = TimedFileSystem.of(
                MemoryFileSystem.oneOf(
                        Math.max(config.exports().size(), byPath.size() + 1),
                        bytes,
                        files,
                        config.dataPath().splice() == OnOff.ON),
                BackendTimes.ofProcess());
        try {
            byPath.put(path, memory);
            memory.setAttributes(Caller.ROOT, memory.root(), AttributeChanges.ofPermissions(FOR_EVERYONE));
        } catch (FsException e) {
            throw new IllegalStateException("a new file system in memory refuses its superuser", e);
        }
        return memory;
    }

    private Export ofPlugin(ExportSpec spec) throws ConfigException {
        ChosenBackend backend = plugin;
        if (backend == null) {
            PluginChoice choice = Objects.requireNonNull(config.plugin());
            backend = Plugins.chosen(seat == null ? choice : seat.backendOf(choice));
            plugin = backend;
        }
        Path directory = spec.directory();
        String source = directory == null ? "" : directory.toString();
        FileSystem files = bySource.get(source);
        if (files == null) {
            Path part = Objects.requireNonNull(state).part(partName(backend.name(), source));
            if (seat != null) {
                seat.opening(source);
            }
            files = TimedFileSystem.of(backend.open(spec.place(), source, part), BackendTimes.ofProcess());
            bySource.put(source, files);
        }
        return Export.of(
                pathOf(spec),
                files,
                spec.policy(),
                spec.traits(),
                source.isEmpty() ? backend.name() : backend.name() + " " + source);
    }

    /** Returns the name of a part of the state directory. It is never the same for two sources. */
    static String partName(String backend, String source) {
        return "backend-" + backend + "-"
                + Hashing.sha256()
                        .hashString(source, StandardCharsets.UTF_8)
                        .toString()
                        .substring(0, 32);
    }

    private static PseudoPath pathOf(ExportSpec spec) {
        return Objects.requireNonNull(spec.pseudoPath(), "an export without a place");
    }

    /** Returns the name of a directory's handle table, which does not depend on the path for clients. */
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
