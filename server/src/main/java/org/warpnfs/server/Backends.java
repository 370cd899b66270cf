package org.warpnfs.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
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

/** The file systems that a server serves, opened as its configuration says. */
final class Backends implements AutoCloseable {
    /** As /tmp: under root_squash a client's root is nobody, who could do nothing with a directory of the server's user. */
    private static final int FOR_EVERYONE = 01777;

    /** A file in memory costs about this much beside its contents; the capacity in files follows. */
    private static final long BYTES_PER_FILE = 4096;

    private final List<FileSystem> fileSystems = new ArrayList<>();
    private final ServerConfig config;
    private final @Nullable StateDirectory state;

    private Backends(ServerConfig config, @Nullable StateDirectory state) {
        this.config = config;
        this.state = state;
    }

    static Backends none(ServerConfig config, @Nullable StateDirectory state) {
        return new Backends(config, state);
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
            fileSystems.add(fileSystem);
            Path directory = spec.directory();
            exports.add(Export.of(
                    pathOf(spec),
                    fileSystem,
                    spec.options(),
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
            case LOCAL -> openLocal(Objects.requireNonNull(spec.directory()), spec);
            case MEMORY -> openMemory();
        };
    }

    private FileSystem openLocal(Path directory, ExportSpec spec) throws ConfigException {
        try {
            if (directory.equals(ServerConfig.DEFAULT_EXPORT) && !Files.exists(directory)) {
                Files.createDirectory(directory);
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
                Files.setAttribute(directory, "unix:mode", FOR_EVERYONE);
            }
            return LocalFileSystem.open(
                    directory,
                    LocalOptions.DEFAULTS.withStateDirectory(
                            Objects.requireNonNull(state).part(tableName(spec))));
        } catch (IOException e) {
            throw new ConfigException("--export " + directory + ": " + e.getMessage(), e);
        }
    }

    private FileSystem openMemory() {
        MemoryFileSystem memory =
                new MemoryFileSystem(config.memoryBytes(), Math.max(1024, config.memoryBytes() / BYTES_PER_FILE));
        try {
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
    private static String tableName(ExportSpec spec) {
        Path directory =
                Objects.requireNonNull(spec.directory()).toAbsolutePath().normalize();
        return "handles-" + Integer.toHexString(directory.toString().hashCode());
    }

    @Override
    public void close() {
        fileSystems.forEach(FileSystem::close);
        fileSystems.clear();
    }
}
