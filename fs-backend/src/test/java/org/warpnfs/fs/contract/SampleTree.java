package org.warpnfs.fs.contract;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.warpnfs.fs.spi.FileType;

/** The tree that {@link ReadingContract} reads. A backend that cannot be written starts on it. */
public final class SampleTree {
    /** The directory with many files. */
    static final String CROWD = "crowd";

    static final int CROWD_FILES = 60;

    /**
     * A file of the tree. Directories come before what they contain.
     *
     * @param path below the root, without a leading slash
     * @param contents of a regular file, or the target of a symbolic link
     */
    public record File(String path, FileType type, int permissions, String contents) {
        /** The contents as bytes: each character is one byte. */
        public byte[] bytes() {
            return contents.getBytes(StandardCharsets.ISO_8859_1);
        }

        String parent() {
            int slash = path.lastIndexOf('/');
            return slash < 0 ? "" : path.substring(0, slash);
        }

        String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }
    }

    private SampleTree() {}

    /** All files but the root. Its permissions are 0755. */
    public static List<File> files() {
        List<File> files = new ArrayList<>();
        files.add(regular("empty", 0644, ""));
        files.add(regular("hello.txt", 0644, "hello, world\n"));
        files.add(regular("script.sh", 0755, "#!/bin/sh\n"));
        files.add(regular("private", 0600, "for its owner alone\n"));
        files.add(regular("zeroes", 0444, "\0".repeat(200_000)));
        files.add(regular("large.bin", 0644, random(1, (3 << 20) + 1)));
        files.add(regular("gr\u00fc\u00dfe \u20ac.txt", 0644, "a name in UTF-8\n"));
        files.add(regular("n".repeat(200), 0644, "a long name\n"));
        files.add(directory("hollow"));
        files.add(directory("a"));
        files.add(directory("a/b"));
        files.add(directory("a/b/c"));
        files.add(regular("a/b/c/deep.bin", 0640, random(2, 100_003)));
        files.add(directory(CROWD));
        for (int i = 0; i < CROWD_FILES; i++) {
            files.add(regular(CROWD + "/file-" + i, 0644, "file " + i + "\n"));
        }
        files.add(new File("link", FileType.SYMLINK, 0777, "a/b/c/deep.bin"));
        return files;
    }

    private static File regular(String path, int permissions, String contents) {
        return new File(path, FileType.REGULAR, permissions, contents);
    }

    private static File directory(String path) {
        return new File(path, FileType.DIRECTORY, 0755, "");
    }

    private static String random(long seed, int length) {
        byte[] data = new byte[length];
        new Random(seed).nextBytes(data);
        return new String(data, StandardCharsets.ISO_8859_1);
    }
}
