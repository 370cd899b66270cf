package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What NSM keeps on stable storage: the server's state number, which is odd while it runs and grows by 2 with each
 * start (X/Open XNFS, section 11.2), and a file for each monitored client.
 *
 * <p>A client's file has four lines: its address, the address of this server that it uses, its name in hexadecimal, and
 * the state number of the instance in which it got or reclaimed a lock. The file {@code settled} has the number of the
 * latest instance in which the time to reclaim is over. Clients of lower numbers have lost what they had.
 *
 * <p>Methods do I/O and return when it is on stable storage. Not safe for several threads on one client.
 */
final class NsmRecords {
    private static final Logger LOG = LoggerFactory.getLogger(NsmRecords.class);
    private static final int MAX_FILE_BYTES = 4096;
    private static final int NAME_HASH_BYTES = 8;
    private static final String SETTLED = "settled";
    private static final HexFormat HEX = HexFormat.of();

    private final @Nullable Path directory;
    private final int state;
    private final List<Monitored> before;
    private final int settled;

    /**
     * A monitored client.
     *
     * @param local the address of this server that it uses; null if it is not known
     * @param state the number of the instance in which it last got or reclaimed a lock
     */
    record Monitored(NlmHost host, @Nullable InetAddress local, int state) {}

    private NsmRecords(@Nullable Path directory, int state, List<Monitored> before, int settled) {
        this.directory = directory;
        this.state = state;
        this.before = before;
        this.settled = settled;
    }

    /**
     * Begins a new instance of the server.
     *
     * @param directory null for a server whose locks nobody reclaims
     * @param most limit of clients; no more are read
     * @throws IOException if the directory cannot be read or written; the message says what
     */
    static NsmRecords open(@Nullable Path directory, int most) throws IOException {
        if (directory == null) {
            return new NsmRecords(null, 1, List.of(), 0);
        }
        Path file = directory.resolve("state");
        int last = number(file, -1);
        // Two further, and odd whatever it was.
        int state = last + 2 | 1;
        Path hosts = directory.resolve("hosts");
        Files.createDirectories(hosts);
        NsmRecords records =
                new NsmRecords(directory, state, read(hosts, most, last), number(directory.resolve(SETTLED), 0));
        records.write(directory, "state", Integer.toString(state));
        sync(directory);
        return records;
    }

    private static int number(Path file, int ifMissing) throws IOException {
        try {
            return Integer.parseInt(text(file).strip());
        } catch (NoSuchFileException e) {
            return ifMissing;
        } catch (NumberFormatException e) {
            throw new IOException(file + ": is not a number; restore it, or remove it together with its directory", e);
        }
    }

    private static String text(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_FILE_BYTES), StandardCharsets.US_ASCII);
        }
    }

    private static List<Monitored> read(Path hosts, int most, int last) throws IOException {
        List<Monitored> all = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(hosts)) {
            for (Path file : files) {
                if (file.toString().endsWith(".new")) {
                    // The server was killed while it wrote it: no lock was granted.
                    Files.deleteIfExists(file);
                } else if (all.size() < most) {
                    Monitored host = parsed(text(file), last);
                    if (host == null) {
                        LOG.warn("{}: is damaged, so its client is not told of the restart", file);
                    } else {
                        all.add(host);
                    }
                }
            }
        }
        return List.copyOf(all);
    }

    /** @param last the number of the instance before, of which a file of an older server is */
    private static @Nullable Monitored parsed(String text, int last) {
        List<String> lines = text.lines().toList();
        if (lines.size() != 3 && lines.size() != 4) {
            return null;
        }
        try {
            InetAddress address = InetAddress.ofLiteral(lines.get(0));
            InetAddress local = lines.get(1).equals("-") ? null : InetAddress.ofLiteral(lines.get(1));
            String name = new String(HEX.parseHex(lines.get(2)), StandardCharsets.ISO_8859_1);
            int state = lines.size() == 3 ? last : Integer.parseInt(lines.get(3));
            return new Monitored(new NlmHost(address, name), local, state);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The number of this instance. */
    int state() {
        return state;
    }

    /** The clients that were monitored when the last instance ended. */
    List<Monitored> before() {
        return before;
    }

    /** True if the client may reclaim: nobody got a new lock since its last one was lost. */
    boolean mayReclaim(Monitored host) {
        return host.state() >= settled;
    }

    /** Writes that only clients of this instance may reclaim in the next. */
    void settle() throws IOException {
        if (directory != null) {
            write(directory, SETTLED, Integer.toString(state));
            sync(directory);
        }
    }

    /** Remembers a client of this instance. */
    void add(NlmHost host, @Nullable InetAddress address) throws IOException {
        if (directory != null) {
            String local = address == null ? "-" : address.getHostAddress();
            Path hosts = directory.resolve("hosts");
            write(
                    hosts,
                    fileOf(host),
                    host.address().getHostAddress()
                            + '\n'
                            + local
                            + '\n'
                            + HEX.formatHex(host.name().getBytes(StandardCharsets.ISO_8859_1))
                            + '\n'
                            + state
                            + '\n');
            sync(hosts);
        }
    }

    /** Forgets a client. It may be remembered again after a crash of the host. */
    void remove(NlmHost host) throws IOException {
        if (directory != null) {
            Files.deleteIfExists(directory.resolve("hosts").resolve(fileOf(host)));
        }
    }

    private static String fileOf(NlmHost host) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(host.name().getBytes(StandardCharsets.ISO_8859_1));
            return HEX.formatHex(host.address().getAddress()) + "-" + HEX.formatHex(hash, 0, NAME_HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    private void write(Path into, String name, String text) throws IOException {
        Path fresh = into.resolve(name + ".new");
        Files.writeString(
                fresh,
                text,
                StandardCharsets.US_ASCII,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(fresh, into.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
