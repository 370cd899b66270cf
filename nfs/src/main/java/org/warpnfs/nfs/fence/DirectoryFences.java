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
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.cluster.DirectoryStore;
import org.warpnfs.stable.StableFiles;

/**
 * Fences in a directory that all gateways see.
 *
 * <pre>
 *   NODE                     the text of a metadata server
 *   NODE~PROCESS             one that a process writes as it starts, or that a crash has left
 * </pre>
 *
 * <h2>Operation</h2>
 *
 * A file is of one process for ever. A process that starts writes a file of its own, and moves it to the name of the
 * node. After that it writes in place: who opens it afterwards sees the new contents, whatever a host has cached of the
 * directory. So one that was taken over, and goes on in the midst of a write, writes to a file that has no name any
 * more, as does any write that arrives late.
 *
 * <p>Two processes of a node that start at once are told apart by their numbers. Each makes its file, and then looks
 * whose the name is; the later one moves its file, and then removes those of earlier ones, so they cannot be moved any
 * more. It needs no lock that a crash could leave behind.
 *
 * <p>It relies on the file system for this: rename is atomic between hosts, and what one host has synced, another that
 * opens it afterwards sees. If listings are late as well, an earlier process that is stopped between its look and its
 * move can take the name from a later one. Then fences wait, and no layout is good that has ended.
 *
 * <h2>Errors</h2>
 *
 * An {@link IOException} names the file. Safe for any thread.
 */
public final class DirectoryFences implements FenceStore {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryFences.class);

    private static final Set<OpenOption> NEW = Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> IN_PLACE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    /** In no name of a node. */
    private static final String FRESH = "~";

    private static final int TRIES = 10;
    private static final int HEAD_BYTES = 256;

    private final Path directory;
    /** Those that could not be read the last time. */
    private volatile Set<String> unread = Set.of();

    private DirectoryFences(Path directory) {
        this.directory = directory;
    }

    /** Opens the directory, and makes it if it is missing. */
    public static DirectoryFences open(Path directory) throws IOException {
        StableFiles.createDirectories(directory);
        return new DirectoryFences(directory);
    }

    @Override
    public Map<String, byte[]> read() throws IOException {
        Map<String, byte[]> texts = new HashMap<>();
        Set<String> failed = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String node = String.valueOf(file.getFileName());
                // Others are made by processes that start, or by an NFS client that removes an open file.
                byte[] text = DirectoryStore.isName(node) ? readOrEmpty(node, failed) : null;
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

    private byte @Nullable [] read(String node) throws IOException {
        try (InputStream in = Files.newInputStream(directory.resolve(node), LinkOption.NOFOLLOW_LINKS)) {
            return in.readNBytes(FenceEpochs.MAX_BYTES + 1);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    @Override
    public Claimed claim(String node, FenceEpochs first) throws IOException {
        long process = first.process();
        Path fresh = directory.resolve(fresh(node, process));
        for (int tries = 0; tries < TRIES; tries++) {
            try {
                try (FileChannel out = StableFiles.open(fresh, NEW)) {
                    StableFiles.write(out, first.encode());
                }
                // After it was made: a later process removes those that it finds once it has the name.
                if (FenceEpochs.processOf(read(node)) > process) {
                    throw new IOException(directory.resolve(node) + ": a later process of this node has taken it over");
                }
                Files.move(fresh, directory.resolve(node), StandardCopyOption.ATOMIC_MOVE);
            } catch (NoSuchFileException e) {
                // A later process has removed it. Or it was moved, and NFS has lost the first answer.
                LOG.debug("looking whose the fences are", e);
            } finally {
                Files.deleteIfExists(fresh);
            }
            StableFiles.sync(directory);
            removeThoseOfEarlier(node, process);
            if (FenceEpochs.processOf(read(node)) == process) {
                return next -> replace(node, next);
            }
        }
        throw new IOException(directory.resolve(node) + ": others replace it all the time");
    }

    /** Names of one node sort by the number of the process. */
    private static String fresh(String node, long process) {
        return node + FRESH + "%016x".formatted(process);
    }

    private void removeThoseOfEarlier(String node, long process) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                if (name.startsWith(node + FRESH) && name.compareTo(fresh(node, process)) < 0) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private boolean replace(String node, FenceEpochs next) throws IOException {
        boolean isWritten = false;
        try (FileChannel out = FileChannel.open(directory.resolve(node), IN_PLACE)) {
            byte[] head = new byte[HEAD_BYTES];
            int _ = out.read(ByteBuffer.wrap(head), 0);
            if (FenceEpochs.processOf(head) == next.process()) {
                StableFiles.write(out, next.encode());
                isWritten = true;
            }
        } catch (NoSuchFileException e) {
            LOG.debug("somebody has removed fences", e);
        }
        // A later process may have put its file in the place of this one, and then nobody reads what was written.
        long owner = FenceEpochs.processOf(read(node));
        if (owner < next.process()) {
            throw new IOException(directory.resolve(node) + ": somebody has removed or changed it");
        }
        return isWritten && owner == next.process();
    }
}
