package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.warpnfs.stable.StableFiles;

/**
 * The store of a cluster in a directory that all nodes see.
 *
 * <pre>
 *   record/0000000000000000042    a version of the record; the highest number is the latest
 *   record/new-UUID               one that is being written, or that a crash has left
 *   beats/NODE                    the sign of life of a node
 *   addresses/NODE                where clients reach a node, one address a line
 *   nodes/NODE                    what else the node keeps
 * </pre>
 *
 * <h2>Operation</h2>
 *
 * A version is written to a file of its own, synced, and then given its number by link(2), which fails if the number is
 * taken. That is the compare-and-swap: it needs no lock that a crash could leave behind, and a file with a number is
 * never half written. A version exists once its directory is synced; who reads it syncs the directory before it acts on
 * it. The latest {@value #KEPT} versions are kept. So a node that was held up, and bids for a number that has been
 * taken, meets the file; one that was held up for longer sees afterwards that its number is far too low.
 *
 * <p>It relies on the file system for this: link is atomic between hosts, a synced file and a synced directory outlive
 * a crash, and what one host has closed, another that opens it afterwards sees. Listings may be late: an old version is
 * then taken for the latest for a while, which every user of a {@link ClusterStore} has to expect.
 *
 * <h2>Errors</h2>
 *
 * An {@link IOException} names the file. Safe for any thread.
 */
public final class DirectoryStore implements ClusterStore {
    static final int KEPT = 64;
    /** The addresses of a node: sixteen IPv6 addresses or a few names. */
    static final int MAX_ADDRESSES_BYTES = 1024;

    private static final int TRIES = 10;
    private static final Duration LEFT_OVER = Duration.ofDays(1);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path root;
    private final Path records;
    private final Path beats;
    private final Path published;
    private volatile long synced;
    /** The latest that was read: a version never changes. */
    private volatile @Nullable Versioned before;

    private DirectoryStore(Path root) {
        this.root = root;
        this.records = root.resolve("record");
        this.beats = root.resolve("beats");
        this.published = root.resolve("addresses");
    }

    /**
     * Opens the store, and creates what is missing.
     *
     * @param directory exists, and is the cluster's own
     */
    public static DirectoryStore open(Path directory) throws IOException {
        DirectoryStore store = new DirectoryStore(directory);
        StableFiles.createDirectories(store.records);
        StableFiles.createDirectories(store.beats);
        StableFiles.createDirectories(store.published);
        StableFiles.sync(directory);
        store.removeLeftovers();
        return store;
    }

    /** Removes what crashes have left. A node whose new file is removed while it writes it fails, and tries again. */
    private void removeLeftovers() throws IOException {
        removeLeftovers(records);
        removeLeftovers(published);
    }

    private static void removeLeftovers(Path directory) throws IOException {
        Instant before = Instant.now().minus(LEFT_OVER);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "new-*")) {
            for (Path file : files) {
                try {
                    if (Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                            .toInstant()
                            .isBefore(before)) {
                        Files.deleteIfExists(file);
                    }
                } catch (NoSuchFileException e) {
                    // Its node has removed it.
                }
            }
        }
    }

    /** True if a node or a cluster may have that name. */
    public static boolean isName(String name) {
        return RecordText.isName(name);
    }

    /** Where a node keeps its own state. It may not exist yet. */
    public Path nodeDirectory(String node) {
        return root.resolve("nodes").resolve(node);
    }

    @Override
    public Versioned read() throws IOException {
        NoSuchFileException gone = null;
        for (int tries = 0; tries < TRIES; tries++) {
            NavigableSet<Long> versions = versions();
            if (versions.isEmpty()) {
                byte[] identity = new byte[16];
                RANDOM.nextBytes(identity);
                return new Versioned(0, ClusterRecord.empty(HexFormat.of().formatHex(identity)));
            }
            long latest = versions.last();
            Versioned known = before;
            if (known != null && known.version() == latest && latest <= synced) {
                return known;
            }
            try {
                ClusterRecord record = parse(records.resolve(name(latest)));
                if (latest > synced) {
                    StableFiles.sync(records);
                    synced = latest;
                }
                Versioned read = new Versioned(latest, record);
                before = read;
                return read;
            } catch (NoSuchFileException e) {
                // The listing was late, and others have replaced it many times since.
                gone = e;
            }
        }
        throw new IOException(records + ": its latest version cannot be opened", gone);
    }

    private static ClusterRecord parse(Path file) throws IOException {
        byte[] bytes = bytes(file, RecordText.MAX_BYTES + 1);
        if (bytes.length > RecordText.MAX_BYTES) {
            throw new IOException(file + ": is larger than " + RecordText.MAX_BYTES + " bytes");
        }
        try {
            return RecordText.parse(bytes);
        } catch (IOException e) {
            throw new IOException(
                    file + ": " + e.getMessage() + "; stop all nodes, and remove this file to go back to the version "
                            + "before it, or the directory to begin anew, without reclaims",
                    e);
        }
    }

    private static byte[] bytes(Path file, int most) throws IOException {
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return in.readNBytes(most);
        }
    }

    private NavigableSet<Long> versions() throws IOException {
        NavigableSet<Long> versions = new TreeSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(records, "[0-9]*")) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                if (name.length() != name(0).length() || !name.chars().allMatch(Character::isDigit)) {
                    throw new IOException(file + ": does not belong here");
                }
                versions.add(Long.parseLong(name));
            }
        }
        return versions;
    }

    private static String name(long version) {
        return "%018d".formatted(version);
    }

    @Override
    public boolean replace(long version, ClusterRecord next) throws IOException {
        byte[] text = RecordText.encode(next);
        if (text.length > RecordText.MAX_BYTES) {
            throw new IOException(records + ": the record would be larger than " + RecordText.MAX_BYTES + " bytes");
        }
        Path fresh = records.resolve("new-" + UUID.randomUUID());
        try {
            StableFiles.create(fresh, text);
            return claim(fresh, version + 1);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private boolean claim(Path fresh, long version) throws IOException {
        Path target = records.resolve(name(version));
        try {
            Files.createLink(target, fresh);
        } catch (FileAlreadyExistsException e) {
            // Over NFS a link that was made may be reported so, if the first reply was lost.
            if (!Files.isSameFile(target, fresh)) {
                return false;
            }
        } catch (UnsupportedOperationException e) {
            throw new IOException(records + ": its file system has no links", e);
        }
        StableFiles.sync(records);
        NavigableSet<Long> versions = versions();
        if (versions.last() - version >= KEPT) {
            // Others took this number so long ago that its file has been removed.
            Files.deleteIfExists(target);
            return false;
        }
        for (long old : versions.headSet(version - KEPT, true)) {
            Files.deleteIfExists(records.resolve(name(old)));
        }
        return true;
    }

    @Override
    public void beat(String node, Beat beat) throws IOException {
        // In place: others who open it see the new contents, whatever they have cached of the directory.
        try (FileChannel out = StableFiles.open(
                beats.resolve(node),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            int _ = out.write(ByteBuffer.wrap(BeatText.encode(beat)), 0);
        }
    }

    @Override
    public Map<String, Beat> beats(Set<String> nodes) throws IOException {
        Map<String, Beat> all = new HashMap<>();
        for (String node : nodes) {
            try {
                Beat beat = BeatText.parse(bytes(beats.resolve(node), BeatText.BYTES));
                if (beat != null) {
                    all.put(node, beat);
                }
            } catch (NoSuchFileException e) {
                // It has given none yet.
            }
        }
        return all;
    }

    @Override
    public void publish(String node, List<String> addresses) throws IOException {
        byte[] text = String.join("\n", addresses).getBytes(StandardCharsets.US_ASCII);
        if (text.length > MAX_ADDRESSES_BYTES) {
            throw new IOException(
                    "the addresses of node " + node + " are longer than " + MAX_ADDRESSES_BYTES + " bytes");
        }
        Path fresh = published.resolve("new-" + UUID.randomUUID());
        try {
            StableFiles.create(fresh, text);
            Files.move(fresh, published.resolve(node), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    @Override
    public List<String> addresses(String node) throws IOException {
        Path file = published.resolve(node);
        try {
            byte[] text = bytes(file, MAX_ADDRESSES_BYTES + 1);
            if (text.length > MAX_ADDRESSES_BYTES) {
                throw new IOException(file + ": is larger than " + MAX_ADDRESSES_BYTES + " bytes");
            }
            return new String(text, StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    @Override
    public void close() {
        // Nothing is held open.
    }
}
