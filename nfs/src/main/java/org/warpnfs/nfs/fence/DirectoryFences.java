package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
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
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fences in a directory that all gateways see, one file for each metadata server. A file is written in place: who opens
 * it afterwards sees the new contents, whatever a host has cached of the directory.
 */
public final class DirectoryFences implements FenceStore {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryFences.class);
    private static final FileAttribute<Set<PosixFilePermission>> FOR_ITS_USER_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path directory;
    /** Those that could not be read the last time. */
    private volatile Set<String> unread = Set.of();

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
        Set<String> failed = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String node = String.valueOf(file.getFileName());
                byte[] text = readOrEmpty(node, failed);
                if (text != null) {
                    texts.put(node, text);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        unread = Set.copyOf(failed);
        if (!failed.isEmpty() && failed.size() == texts.size()) {
            throw new IOException(directory + ": none of its files can be read");
        }
        return texts;
    }

    /** The others do not depend on one that cannot be read. */
    private byte @Nullable [] readOrEmpty(String node, Set<String> failed) {
        try {
            return read(node);
        } catch (IOException e) {
            if (!unread.contains(node)) {
                LOG.warn("The fences of node {} cannot be read: {}", node, e.toString());
            }
            failed.add(node);
            return new byte[0];
        }
    }

    @Override
    public byte @Nullable [] read(String node) throws IOException {
        try (InputStream in = Files.newInputStream(directory.resolve(node), LinkOption.NOFOLLOW_LINKS)) {
            return in.readNBytes(FenceEpochs.MAX_BYTES + 1);
        } catch (NoSuchFileException e) {
            return null;
        }
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
