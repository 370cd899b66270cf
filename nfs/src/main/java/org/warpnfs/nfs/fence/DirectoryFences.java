package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Fences in a directory that all gateways see, one file for each metadata server. A file is written in place: who opens
 * it afterwards sees the new contents, whatever a host has cached of the directory.
 */
public final class DirectoryFences implements FenceStore {
    private static final FileAttribute<Set<PosixFilePermission>> FOR_ITS_USER_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path directory;

    private DirectoryFences(Path directory) {
        this.directory = directory;
    }

    /** Opens the directory, and makes it if it is missing. */
    public static DirectoryFences open(Path directory) throws IOException {
        Files.createDirectories(directory, FOR_ITS_USER_ALONE);
        return new DirectoryFences(directory);
    }

    @Override
    public Map<String, byte[]> read() throws IOException {
        Map<String, byte[]> texts = new HashMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
                    texts.put(String.valueOf(file.getFileName()), in.readNBytes(FenceEpochs.MAX_BYTES + 1));
                } catch (NoSuchFileException e) {
                    // Somebody has removed it.
                }
            }
        }
        return texts;
    }

    @Override
    public void write(String node, byte[] text) throws IOException {
        try (FileChannel out = FileChannel.open(
                directory.resolve(node),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                OWNER_ONLY)) {
            ByteBuffer bytes = ByteBuffer.wrap(text);
            while (bytes.hasRemaining()) {
                int _ = out.write(bytes, bytes.position());
            }
            out.force(true);
        }
    }
}
