package org.warpnfs.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.Budgets;
import org.warpnfs.server.limits.LayerLimits;

/**
 * The file systems that a server serves, opened as its configuration says.
 *
 * <p>A directory that is exported more than once, also through a symbolic link, is one file system: its files have one set of descriptors
 * and handles. A directory within another, and a bind mount, which may forbid what the other allows, has one of its own; its files have the same
 * {@linkplain FileSystem#identity identity} as through the other, so that locks and delegations hold for both.
 */
final class Backends implements AutoCloseable {
    /** As /tmp: under root_squash a client's root is nobody, who could do nothing with a directory of the server's user. */
    private static final int FOR_EVERYONE = 01777;

    /** A file in memory costs about this much beside its contents; the capacity in files follows. */
    private static final long BYTES_PER_FILE = 4096;

    private final List<FileSystem> fileSystems = new ArrayList<>();
    /** Those of directories, by their paths without symbolic links. */
    private final Map<Path, FileSystem> byDirectory = new HashMap<>();

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
     * Opens every export.
     *
     * @throws ConfigException naming the export that cannot be served; what was opened is closed by {@link #close()}
     */
    ExportTable open() throws ConfigException {
        List<Export> exports = new ArrayList<>();
        for (ExportSpec spec : config.exports()) {
            FileSystem fileSystem = open(spec);
            Path directory = spec.directory();
            exports.add(Export.of(
                    pathOf(spec),
                    fileSystem,
                    spec.policy(),
                    spec.traits(),
                    directory == null
                            ? "memory"
                            : directory.toAbsolutePath().normalize().toString()));
        }
        try {
            return ExportTable.of(exports);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--export: " + e.getMessage(), e);
        }
    }

    private FileSystem open(ExportSpec spec) throws ConfigException {
        return switch (config.backend()) {
            case LOCAL -> openLocal(Objects.requireNonNull(spec.directory()));
            case MEMORY -> openMemory();
        };
    }

    private FileSystem openLocal(Path directory) throws ConfigException {
        try {
            if (directory.equals(ServerConfig.DEFAULT_EXPORT) && !Files.exists(directory)) {
                // What clients are told is stable in it would go with it.
                new DurableDirectories(DurableDirectories::sync).make(directory);
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
                Files.setAttribute(directory, "unix:mode", FOR_EVERYONE);
            }
            Path real = Files.exists(directory) ? directory.toRealPath() : directory;
            FileSystem known = byDirectory.get(real);
            if (known != null) {
                return known;
            }
            FileSystem opened = LocalFileSystem.open(
                    directory,
                    LayerLimits.local(plan.limits())
                            .withStateDirectory(Objects.requireNonNull(state).part(tableName(real))));
            byDirectory.put(real, opened);
            fileSystems.add(opened);
            return opened;
        } catch (IOException e) {
            throw new ConfigException("--export " + directory + ": " + e.getMessage(), e);
        }
    }

    private FileSystem openMemory() {
        long bytes = plan.memoryExportBytes();
        MemoryFileSystem memory = new MemoryFileSystem(bytes, Math.max(1024, bytes / BYTES_PER_FILE));
        try {
            fileSystems.add(memory);
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
        fileSystems.forEach(FileSystem::close);
        fileSystems.clear();
        byDirectory.clear();
    }
}
