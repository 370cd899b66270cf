package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Fresh directories in memory that other users may read. */
final class TmpfsDirectory {
    private TmpfsDirectory() {}

    static Path make(String prefix) throws IOException {
        Path directory = Files.createTempDirectory(LocalBackend.TMPFS, prefix);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        return directory;
    }

    /** Removes a directory with all that is in it. */
    static void remove(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(directory)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }
}
