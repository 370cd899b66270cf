package org.warpnfs.server.killed;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What a server serves, seen without it. */
interface ExportedFiles {
    /**
     * A name.
     *
     * @param links of a file; 0 for others
     * @param target of a symbolic link; empty for others
     */
    record Found(Node.Type type, int links, String target) {}

    /** The names in one directory of the export. */
    Map<String, Found> list(Path directory) throws IOException;

    /** The size of what has a name; empty if nothing has it. */
    OptionalLong size(Path path) throws IOException;

    /** Directories of this host. */
    static ExportedFiles onThisHost() {
        return new ExportedFiles() {
            @Override
            public Map<String, Found> list(Path directory) throws IOException {
                Map<String, Found> all = new TreeMap<>();
                try (Stream<Path> entries = Files.list(directory)) {
                    for (Path entry : entries.toList()) {
                        String name = entry.getFileName().toString();
                        // A server of an ordinary user that is killed leaves a directory that has no name yet. Clients
                        // do not see it.
                        if (!name.startsWith(".warpnfs-new-")) {
                            all.put(name, found(entry));
                        }
                    }
                }
                return all;
            }

            @Override
            public OptionalLong size(Path path) throws IOException {
                return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                        ? OptionalLong.of((Long) Files.getAttribute(path, "size", LinkOption.NOFOLLOW_LINKS))
                        : OptionalLong.empty();
            }
        };
    }

    private static Found found(Path path) throws IOException {
        if (Files.isSymbolicLink(path)) {
            return new Found(Node.Type.SYMLINK, 0, Files.readSymbolicLink(path).toString());
        }
        if (isMappedSymlink(path)) {
            return new Found(Node.Type.SYMLINK, 0, Files.readString(path));
        }
        return Files.isDirectory(path)
                ? new Found(Node.Type.DIRECTORY, 0, "")
                : new Found(
                        Node.Type.FILE,
                        (Integer) Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS),
                        "");
    }

    /** A server of an ordinary user keeps a symbolic link as a file, and its type in an attribute. */
    private static boolean isMappedSymlink(Path path) throws IOException {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(path, UserDefinedFileAttributeView.class);
        if (!view.list().contains("warpnfs.owner")) {
            return false;
        }
        ByteBuffer value = ByteBuffer.allocate(view.size("warpnfs.owner")).order(ByteOrder.LITTLE_ENDIAN);
        view.read("warpnfs.owner", value);
        return (value.getInt(Integer.BYTES) & 0170000) == 0120000;
    }
}
