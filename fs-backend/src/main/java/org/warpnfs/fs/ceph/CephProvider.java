package org.warpnfs.fs.ceph;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.warpnfs.fs.spi.BackendEnvironment;
import org.warpnfs.fs.spi.BackendException;
import org.warpnfs.fs.spi.BackendOption;
import org.warpnfs.fs.spi.BackendProvider;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.stable.StableFiles;

/** Opens directories of a file system of Ceph. */
public final class CephProvider implements BackendProvider {
    public static final String NAME = "ceph";
    /** The path of ceph.conf. */
    public static final String CONFIGURATION = "conf";
    /** The user of the cluster, without {@code client.}. */
    public static final String ID = "id";
    /** The file system; empty for the default one. */
    public static final String FILE_SYSTEM = "filesystem";

    /** A word for {@link #mountName}; empty for names that the state directory keeps. */
    public static final String MOUNTS = "mounts";

    private static final Pattern NAME_OF_MOUNT = Pattern.compile("warpnfs-[0-9a-f-]{36}");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String about() {
        return "Directories of a file system of Ceph, by libcephfs";
    }

    @Override
    public List<BackendOption> options() {
        return List.of(
                BackendOption.of(CONFIGURATION, "The path of ceph.conf.", "/etc/ceph/ceph.conf"),
                BackendOption.of(ID, "The user of the cluster, without 'client.'.", "admin"),
                BackendOption.of(FILE_SYSTEM, "The file system, empty for the cluster's default.", ""),
                BackendOption.of(MOUNTS, "A word to make names of mounts from, empty for names that are kept.", ""));
    }

    @Override
    public FileSystem open(String source, Map<String, String> options, BackendEnvironment environment)
            throws BackendException {
        String directory = directory(source);
        if (!directory.startsWith("/")) {
            throw BackendException.ofSource(source + " is not an absolute path in the file system");
        }
        String fileSystem = given(options, FILE_SYSTEM);
        String word = given(options, MOUNTS);
        return CephFileSystem.open(new CephOptions(
                Path.of(given(options, CONFIGURATION)).toAbsolutePath(),
                given(options, ID),
                fileSystem.isEmpty() ? null : fileSystem,
                directory,
                word.isEmpty() ? name(environment.stateDirectory()) : mountName(word, fileSystem, source)));
    }

    private static String directory(String source) {
        return source.isEmpty() ? "/" : source;
    }

    /**
     * The name by which the cluster knows a mount.
     *
     * @param word the option {@link #MOUNTS}
     * @param fileSystem the option {@link #FILE_SYSTEM}
     * @param source of the export
     */
    public static String mountName(String word, String fileSystem, String source) {
        byte[] text = String.join("\0", word, fileSystem, directory(source)).getBytes(StandardCharsets.UTF_8);
        return "warpnfs-" + UUID.nameUUIDFromBytes(text);
    }

    /** The name of this file system's mounts, which is the same after a restart and unlike all others. */
    static String name(Path stateDirectory) throws BackendException {
        Path file = stateDirectory.resolve("mount-name");
        try {
            String name = read(file);
            if (NAME_OF_MOUNT.matcher(name).matches()) {
                return name;
            }
        } catch (IOException e) {
            throw BackendException.ofSource(file + " cannot be read or written: " + e.getMessage(), e);
        }
        throw BackendException.ofSource(file + " has no name of a mount: remove it. Then the cluster takes this server"
                + " for another one, which waits until the session of the earlier one has ended");
    }

    /**
     * Reads the name, and makes one if there is none. One that cannot be read is not replaced. An earlier version wrote
     * an empty file if the host ended meanwhile: nothing has used its name.
     */
    private static String read(Path file) throws IOException {
        try {
            byte[] name = Files.readAllBytes(file);
            if (name.length > 0) {
                return new String(name, StandardCharsets.ISO_8859_1);
            }
        } catch (NoSuchFileException e) {
            // It is the first start.
        }
        String made = "warpnfs-" + UUID.randomUUID();
        StableFiles.replace(file, made.getBytes(StandardCharsets.US_ASCII));
        return made;
    }

    private static String given(Map<String, String> options, String name) {
        return Objects.requireNonNull(options.get(name), name);
    }
}
