package org.warpnfs.testkit.ceph;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One monitor, one OSD and one metadata server, on ports of loopback that were free, with all their files in a
 * directory for temporary files. The daemons end with this process, even if it is killed.
 */
public final class CephCluster implements AutoCloseable {
    /** The file system that the cluster has. */
    public static final String FILE_SYSTEM = "files";

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    /** A manager needs half a minute before it counts, and the monitors look every 5 s. */
    private static final Duration COUNT_LIMIT = Duration.ofMinutes(3);

    private static final Pattern SESSION = Pattern.compile("\"id\": *(\\d+)");
    private static final Pattern INSTANCE = Pattern.compile("\"inst\": *\"client\\.\\d+ (?:v1:|any:)?([^\"]+)\"");
    private static final Pattern FULL_DATA = Pattern.compile("pool \\d+ 'data' .* flags \\S*full_quota");
    private static final long STEP_MILLIS = 50;

    private static @Nullable CephCluster shared;

    /** Where an OSD keeps its objects. */
    public enum Store {
        /** In memory: they are lost when the OSD is killed. */
        MEMORY("memstore"),
        /** In a file. */
        FILE("bluestore");

        private final String option;

        Store(String option) {
            this.option = option;
        }
    }

    /** The daemons of a cluster. */
    public enum Daemon {
        MONITOR("ceph-mon", "a"),
        OSD("ceph-osd", "0"),
        METADATA("ceph-mds", "a"),
        /** Counts what is stored. Only clusters whose pools are limited have one. */
        MANAGER("ceph-mgr", "a");

        private final String program;
        private final String id;

        Daemon(String program, String id) {
            this.program = program;
            this.id = id;
        }

        String program() {
            return program;
        }

        String id() {
            return id;
        }
    }

    private final Path directory;
    private final Path configuration;
    private final Store store;
    private final boolean withKeys;
    private final CephDaemons daemons;

    private CephCluster(Path directory, Store store, boolean withKeys) {
        this.directory = directory;
        this.store = store;
        this.withKeys = withKeys;
        this.configuration = directory.resolve("ceph.conf");
        this.daemons = new CephDaemons(configuration, directory.resolve("log"));
    }

    /**
     * Skips the test on a host where no cluster can be started.
     *
     * @param skip ends the test with the reason, as {@code Assumptions.abort} of JUnit does
     * @throws IllegalStateException if the environment says that clusters are required ({@code CEPH_TESTS=required})
     */
    public static void skipUnlessPossible(Consumer<String> skip) {
        CephPrograms.requireInstalled(false, skip);
    }

    /** The same for clusters with {@link #limitData}. */
    public static void skipUnlessLimitsArePossible(Consumer<String> skip) {
        CephPrograms.requireInstalled(true, skip);
    }

    /** The cluster that all tests of this process share. It is started by the first call, and ends with the process. */
    public static synchronized CephCluster shared() throws IOException, InterruptedException {
        CephCluster cluster = shared;
        if (cluster == null) {
            cluster = start();
            shared = cluster;
        }
        return cluster;
    }

    /** Starts a cluster that keeps its objects in memory. */
    public static CephCluster start() throws IOException, InterruptedException {
        return start(Store.MEMORY, false);
    }

    /** Starts a cluster whose clients need keys (cephx). It has one of {@code client.admin}. */
    public static CephCluster startWithKeys() throws IOException, InterruptedException {
        return start(Store.MEMORY, true);
    }

    /** Starts a cluster; returns when its metadata server serves {@link #FILE_SYSTEM}. */
    public static CephCluster start(Store store) throws IOException, InterruptedException {
        return start(store, false);
    }

    private static CephCluster start(Store store, boolean withKeys) throws IOException, InterruptedException {
        try {
            return startOnce(store, withKeys);
        } catch (IOException e) {
            // Somebody else may have taken a port that was free.
            System.err.println("a cluster of Ceph is started once more: " + e.getMessage());
            return startOnce(store, withKeys);
        }
    }

    private static CephCluster startOnce(Store store, boolean withKeys) throws IOException, InterruptedException {
        CephCluster cluster = new CephCluster(Files.createTempDirectory("warpnfs-ceph"), store, withKeys);
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "ceph-cluster"));
        boolean started = false;
        try {
            cluster.make();
            started = true;
            return cluster;
        } finally {
            if (!started) {
                cluster.close();
            }
        }
    }

    private void make() throws IOException, InterruptedException {
        String fsid = UUID.randomUUID().toString();
        String monitor = "[v2:127.0.0.1:" + freePort() + ",v1:127.0.0.1:" + freePort() + "]";
        for (String part : List.of("mon", "osd", "mds", "mgr", "run", "log")) {
            Files.createDirectory(directory.resolve(part));
        }
        Files.writeString(configuration, configurationOf(fsid, monitor));
        Path map = directory.resolve("monmap");
        String _ = run("monmaptool", "--create", "--fsid", fsid, "--addv", "a", monitor, map.toString());
        if (withKeys) {
            makeFirstKeys();
            String keys = keyring("client.admin").toString();
            String _ = run("ceph-mon", "--mkfs", "-i", "a", "--monmap", map.toString(), "--keyring", keys);
        } else {
            String _ = run("ceph-mon", "--mkfs", "-i", "a", "--monmap", map.toString());
        }
        start(Daemon.MONITOR);
        if (withKeys) {
            addKey("osd.0", "mon", "allow profile osd", "osd", "allow *");
            addKey("mds.a", "mon", "allow profile mds", "osd", "allow rwx", "mds", "allow *");
        }
        String osd = UUID.randomUUID().toString();
        command("osd new " + osd + " 0");
        String _ = run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd);
        start(Daemon.OSD);
        command(
                "osd crush add osd.0 1.0 root=default host=here",
                "osd pool create metadata 8",
                "osd pool create data 8",
                "fs new " + FILE_SYSTEM + " metadata data");
        start(Daemon.METADATA);
        awaitActive();
    }

    private void makeFirstKeys() throws IOException, InterruptedException {
        String keys = keyring("client.admin").toString();
        List<String> tool = List.of("ceph-authtool", keys, "--gen-key", "--cap", "mon", "allow *", "-n");
        List<String> first = new ArrayList<>(tool);
        first.addAll(List.of("mon.", "--create-keyring"));
        String _ = output(first, "");
        List<String> second = new ArrayList<>(tool);
        second.addAll(List.of("client.admin", "--cap", "osd", "allow *", "--cap", "mds", "allow *"));
        String _ = output(second, "");
    }

    private Path keyring(String name) {
        return directory.resolve(name + ".keyring");
    }

    private void addKey(String name, String... capabilities) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("auth", "get-or-create", name));
        arguments.addAll(List.of(capabilities));
        arguments.addAll(List.of("-o", keyring(name).toString()));
        String _ = run("ceph", arguments.toArray(String[]::new));
    }

    /** Adds a user, without {@code client.}, that reaches one directory alone. The configuration leads to its key. */
    public void addUser(String user, String path) throws IOException, InterruptedException {
        String _ = run("ceph", "fs", "authorize", FILE_SYSTEM, "client." + user, path, "rw");
        addKey("client." + user);
    }

    /** Adds a user that may change names, and read the contents of files but not write them. */
    public void addReader(String user) throws IOException, InterruptedException {
        addKey("client." + user, "mon", "allow r", "mds", "allow rw", "osd", "allow r");
    }

    private String configurationOf(String fsid, String monitor) {
        return """
                [global]
                fsid = %1$s
                mon host = %2$s
                mon initial members = a
                public addr = 127.0.0.1
                cluster addr = 127.0.0.1
                ms bind ipv6 = false
                auth cluster required = %5$s
                auth service required = %5$s
                auth client required = %5$s
                keyring = %3$s/$name.keyring
                osd pool default size = 1
                osd pool default min size = 1
                osd pool default pg autoscale mode = off
                mon allow pool size one = true
                osd crush chooseleaf type = 0
                run dir = %3$s/run
                pid file =
                admin socket = %3$s/run/$cluster-$name.$pid.asok
                log file = %3$s/log/$name.log
                crash dir = %3$s/run
                [mon]
                mon data = %3$s/mon
                mon cluster log file = %3$s/log/cluster.log
                mon data avail warn = 2
                mon data avail crit = 1
                auth allow insecure global id reclaim = false
                mon osd down out interval = 0
                [osd]
                osd data = %3$s/osd
                osd objectstore = %4$s
                memstore device bytes = 2147483648
                bluestore block size = 2147483648
                bluestore cache autotune = false
                bluestore cache size = 67108864
                osd crush update on start = false
                # An OSD that was stopped for longer than 0.8 of it lets calls wait for ever if it has the only copy.
                osd heartbeat grace = 600
                [mds]
                mds data = %3$s/mds
                mds cache memory limit = 134217728
                [mgr]
                mgr data = %3$s/mgr
                mgr initial modules =
                mgr stats period = 1
                [client]
                log file =
                """.formatted(fsid, monitor, directory, store.option, withKeys ? "cephx" : "none");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** The cluster's ceph.conf. */
    public Path configuration() {
        return configuration;
    }

    /** Starts a daemon that does not run. */
    public void start(Daemon daemon) throws IOException {
        daemons.start(daemon);
    }

    /** Ends a daemon at once, as a crash does. */
    public void kill(Daemon daemon) throws InterruptedException {
        daemons.kill(daemon);
    }

    /** Stops a daemon, which keeps its connections and answers nothing. */
    public void pause(Daemon daemon) throws IOException, InterruptedException {
        daemons.signal("STOP", daemon);
    }

    /** Lets a daemon go on after {@link #pause}. */
    public void resume(Daemon daemon) throws IOException, InterruptedException {
        daemons.signal("CONT", daemon);
    }

    /** Waits until a metadata server is active. */
    public void awaitActive() throws IOException, InterruptedException {
        await(START_LIMIT, () -> command("mds stat").contains("up:active"), "no metadata server became active");
    }

    /** Something that becomes true in the cluster. */
    @FunctionalInterface
    private interface Condition {
        boolean isMet() throws IOException, InterruptedException;
    }

    private void await(Duration limit, Condition condition, String complaint) throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.isMet()) {
            if (System.nanoTime() - end > 0) {
                throw new IOException(complaint + ":\n" + daemons.logs());
            }
            Thread.sleep(STEP_MILLIS);
        }
    }

    /**
     * Limits what the pool with the contents of files may hold, to less than is there; returns when the cluster says
     * that it is full. A {@linkplain Daemon#MANAGER manager} runs.
     */
    public void limitData(long bytes) throws IOException, InterruptedException {
        setQuota(bytes, true);
    }

    /** Ends {@link #limitData}. */
    public void endLimit() throws IOException, InterruptedException {
        setQuota(0, false);
    }

    private void setQuota(long bytes, boolean full) throws IOException, InterruptedException {
        command("osd pool set-quota data max_bytes " + bytes);
        await(
                COUNT_LIMIT,
                () -> FULL_DATA.matcher(command("osd dump")).find() == full,
                "the pool did not become " + (full ? "full" : "free"));
    }

    /** Runs commands of the program {@code ceph}, and returns what it writes. */
    public String command(String... commands) throws IOException, InterruptedException {
        return output(
                List.of("ceph", "-c", configuration.toString(), "--connect-timeout", "30"),
                String.join("\n", commands) + "\nquit\n");
    }

    /** Makes the cluster end the mounts of all clients and listen to none of them any more. */
    public void evictClients() throws IOException, InterruptedException {
        String sessions = run("ceph", "tell", "mds.a", "session", "ls");
        for (MatchResult session : SESSION.matcher(sessions).results().toList()) {
            String _ = run("ceph", "tell", "mds.a", "session", "evict", "id=" + session.group(1));
        }
    }

    /** The addresses of all clients that have mounted the file system. */
    public List<String> clientAddresses() throws IOException, InterruptedException {
        return INSTANCE.matcher(run("ceph", "tell", "mds.a", "session", "ls"))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    /** Makes the cluster listen to these clients no more, without a word to the metadata server. */
    public void blocklist(List<String> addresses) throws IOException, InterruptedException {
        for (String address : addresses) {
            command("osd blocklist add " + address);
        }
    }

    /** Waits until the metadata server has answered a call of which its journal knows nothing yet. */
    public void awaitEarlyReply() throws IOException, InterruptedException {
        await(
                START_LIMIT,
                () -> run("ceph", "tell", "mds.a", "dump_ops_in_flight").contains("early_replied"),
                "the metadata server has answered nothing before its journal");
    }

    private String run(String program, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program, "-c", configuration.toString()));
        if (program.equals("monmaptool")) {
            command.subList(1, 3).clear();
        }
        command.addAll(List.of(arguments));
        return output(command, "");
    }

    private String output(List<String> command, String in) throws IOException, InterruptedException {
        Path said = Files.createTempFile(directory, "said", "");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        boolean ended;
        try (OutputStream to = process.getOutputStream()) {
            to.write(in.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It has ended without reading everything, and has said why.
        }
        try {
            ended = process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } finally {
            process.destroyForcibly();
        }
        String text = Files.readString(said, StandardCharsets.ISO_8859_1);
        Files.delete(said);
        if (!ended || process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + " failed:\n" + in + text);
        }
        return text;
    }

    /** Ends the daemons and removes their files. */
    @Override
    public void close() {
        daemons.killAll();
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("files of a cluster of Ceph are left in " + directory + ": " + e);
        }
    }
}
