package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.warpnfs.stable.StableFiles;

/** Each text in a file of its own, those of clients in {@code hosts}. */
public final class DirectoryNsmStore implements NsmStore {
    private static final int MAX_FILE_BYTES = 4096;

    private final Path directory;
    private final Path hosts;

    private DirectoryNsmStore(Path directory) {
        this.directory = directory;
        this.hosts = directory.resolve("hosts");
    }

    /** Opens the store. The directory exists. */
    public static DirectoryNsmStore open(Path directory) throws IOException {
        DirectoryNsmStore store = new DirectoryNsmStore(directory);
        StableFiles.createDirectories(store.hosts);
        StableFiles.sync(directory);
        return store;
    }

    @Override
    public Optional<String> read(String name) throws IOException {
        try {
            return Optional.of(text(directory.resolve(name)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static String text(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_FILE_BYTES), StandardCharsets.ISO_8859_1);
        }
    }

    @Override
    public Map<String, String> hosts(int most) throws IOException {
        Map<String, String> all = new HashMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(hosts)) {
            for (Path file : files) {
                if (file.toString().endsWith(".new")) {
                    // The server was killed while it wrote it: no lock was granted.
                    Files.deleteIfExists(file);
                } else if (all.size() < most) {
                    all.put(String.valueOf(file.getFileName()), text(file));
                }
            }
        }
        return all;
    }

    @Override
    public void write(String name, String text) throws IOException {
        write(directory, name, text);
    }

    @Override
    public void addHost(String name, String text) throws IOException {
        write(hosts, name, text);
    }

    @Override
    public void removeHost(String name) throws IOException {
        Files.deleteIfExists(hosts.resolve(name));
    }

    @Override
    public String place(String name) {
        return directory.resolve(name).toString();
    }

    private static void write(Path into, String name, String text) throws IOException {
        StableFiles.replace(into.resolve(name), text.getBytes(StandardCharsets.US_ASCII));
    }
}
