package org.warpnfs.tools.bench.compare;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.warpnfs.tools.bench.BenchException;

/**
 * Prepares the namespaces of the run inside: loopback with congestion control cubic, and file systems of its own.
 *
 * <p>Nothing is undone explicitly. Everything, including the loop devices, disappears with the last process inside.
 */
final class Room {
    private static final int LIMIT_SECONDS = 60;
    private static final String SIZE = "size=1g,mode=0777";
    private static final long IMAGE_BYTES = 1L << 30;
    /** Room for the files of a listing and those of the other works. */
    private static final int INODES = 2 * ManyNames.NAMES;

    private final Path directory;

    Room(Path directory) {
        this.directory = directory;
    }

    /** Brings loopback up. */
    void network() throws BenchException, InterruptedException {
        Programs.run(LIMIT_SECONDS, "ip", "link", "set", "lo", "up");
    }

    /**
     * Makes cubic the congestion control of loopback connections, whatever the host's default is. Programs can still
     * choose another.
     *
     * @throws BenchException if this kernel does not support cubic or such routes
     */
    void cubic() throws BenchException, InterruptedException {
        for (String route : new String[] {"127.0.0.0/8", "127.0.0.1"}) {
            String change = "route change local " + route
                    + " dev lo proto kernel scope host src 127.0.0.1 table local congctl cubic";
            String[] words = ("ip " + change).split(" ", -1);
            Programs.run(LIMIT_SECONDS, words);
        }
    }

    /** Mounts a file system that everybody may write to. */
    Path mount(Tree tree) throws BenchException, InterruptedException {
        Path at = directory.resolve(tree.word());
        try {
            Files.createDirectories(at);
            if (tree == Tree.TMPFS) {
                Programs.run(LIMIT_SECONDS, "mount", "-t", "tmpfs", "-o", SIZE, "warpnfs-compare", at.toString());
            } else {
                ext4(at);
            }
            return at;
        } catch (IOException e) {
            throw new BenchException(tree.word() + ": " + e.getMessage(), e);
        }
    }

    private void ext4(Path at) throws IOException, BenchException, InterruptedException {
        Path image = directory.resolve("ext4.img");
        try {
            try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
                file.setLength(IMAGE_BYTES);
            }
            // Initialize all tables now. Otherwise a kernel thread would write them during a measurement.
            Programs.run(
                    LIMIT_SECONDS,
                    "mkfs.ext4",
                    "-q",
                    "-F",
                    "-E",
                    "lazy_itable_init=0,lazy_journal_init=0",
                    "-N",
                    Integer.toString(INODES),
                    image.toString());
            Programs.run(LIMIT_SECONDS, "mount", "-t", "ext4", "-o", "loop", image.toString(), at.toString());
        } finally {
            // The loop device keeps the file open. Without a name, the file disappears however this run ends.
            Files.deleteIfExists(image);
        }
        Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    /** Mounts an empty directory over one of the host's, so that a server does not use the host's files there. */
    void cover(Path path) throws BenchException, InterruptedException {
        if (Files.isDirectory(path)) {
            Programs.run(LIMIT_SECONDS, "mount", "-t", "tmpfs", "-o", "size=16m,mode=0755", "warpnfs", path.toString());
        }
    }
}
