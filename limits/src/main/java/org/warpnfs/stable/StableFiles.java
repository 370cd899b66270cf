package org.warpnfs.stable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that only the server's user may see, and that are on stable storage before another step is taken. */
public final class StableFiles {
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY_OF_ITS_USER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> FILE_OF_ITS_USER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private StableFiles() {}

    /** Makes a directory, and those above it, if it is missing. */
    public static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, DIRECTORY_OF_ITS_USER);
    }

    /** Opens a file, and makes it if the options say so. */
    public static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
        return FileChannel.open(file, options, FILE_OF_ITS_USER);
    }

    /** Makes a file that does not exist; returns when its contents are on stable storage. Its name may not be. */
    public static void create(Path file, byte[] contents) throws IOException {
        try (FileChannel out = open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
            write(out, contents);
        }
    }

    /**
     * Gives a file these contents, or leaves it as it was, whenever the host stops: writes a temporary file, syncs it,
     * renames it, and syncs the directory. Returns when all that is on stable storage. For one thread at a time and
     * file.
     */
    public static void replace(Path file, byte[] contents) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        // What a crash has left.
        Files.deleteIfExists(fresh);
        create(fresh, contents);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            sync(directory);
        }
    }

    /** Writes to the beginning of a file; returns when it is on stable storage. */
    public static void write(FileChannel out, byte[] contents) throws IOException {
        write(out, ByteBuffer.wrap(contents), 0);
    }

    /** Writes at an offset; returns when the bytes are on stable storage. */
    public static void write(FileChannel out, ByteBuffer bytes, long offset) throws IOException {
        long at = offset;
        while (bytes.hasRemaining()) {
            at += out.write(bytes, at);
        }
        out.force(true);
    }

    /** Brings the names in a directory to stable storage. */
    public static void sync(Path directory) throws IOException {
        try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
            names.force(true);
        }
    }
}
