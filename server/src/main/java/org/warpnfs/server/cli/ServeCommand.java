package org.warpnfs.server.cli;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.KeptHostNames;
import org.warpnfs.nfs.idmap.MappedNames;
import org.warpnfs.nfs.idmap.NameThreads;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.server.NullCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ByteSize;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.CrcPolicy;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.ExportsFiles;
import org.warpnfs.server.config.IdMapFile;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.hosts.SystemHostNames;
import org.warpnfs.server.systemd.ServiceManager;
import org.warpnfs.server.systemd.Watchdog;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code warpnfs serve}: serves until it is told to stop by SIGTERM or SIGINT. */
@Command(
        name = "serve",
        description = "Serves directories over NFS, by RDMA and by TCP.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class ServeCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);
    private static final int MAX_PORT = 65_535;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--export",
            paramLabel = "DIR[:/PATH][,OPTION...]",
            description = {
                "A directory to serve, where clients find it, and how, in the options of exports(5); may be repeated.",
                "The only one is found at /, of several each at its own absolute path.",
                "Options: rw (default), ro, root_squash (default), no_root_squash, all_squash, anonuid=N, anongid=N, secure,",
                "insecure (default), sec=sys:none, crossmnt, nohide, fsid=N, nordirplus, mountpoint.",
                "Default: ./export, made if it is missing."
            })
    private List<String> exports = new ArrayList<>();

    @Option(
            names = "--exports",
            paramLabel = "FILE",
            arity = "0..*",
            description = {
                "Files of exports(5), or directories of *.exports; read again on SIGHUP. Without FILE /etc/exports and",
                "/etc/exports.d. Beside these, --export names more."
            })
    private @Nullable List<Path> exportsFiles;

    @Option(
            names = "--watch-exports",
            description = "Read the files of --exports again when they change, as those of a ConfigMap do.")
    private boolean watchExports;

    private final HostNames hostNames =
            new KeptHostNames(new SystemHostNames(), NameThreads.named("warpnfs-hosts"), System::nanoTime);

    @Option(
            names = "--backend",
            paramLabel = "local|memory",
            description = "Where the files are: directories of this host, or the server's memory. Default: local.")
    private Backend backend = Backend.LOCAL;

    @Option(
            names = "--memory-size",
            paramLabel = "SIZE",
            description = "With --backend memory, the capacity of each export. Default: 1g.")
    private String memorySize = "1g";

    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            description = "The address to listen at. Default: every address of this host.")
    private @Nullable String listen;

    @Option(names = "--rdma-port", paramLabel = "PORT", description = "Port for NFS over RDMA. Default: 20049.")
    private int rdmaPort = 20_049;

    @Option(names = "--tcp-port", paramLabel = "PORT", description = "Port for NFS and MOUNT over TCP. Default: 2049.")
    private int tcpPort = 2049;

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "Where to keep what must outlive a restart. Default: /var/lib/warpnfs for root, "
                    + "else warpnfs below $XDG_STATE_HOME or ~/.local/state.")
    private @Nullable Path state;

    @Option(
            names = "--crc",
            paramLabel = "off|on",
            description =
                    "Whether RDMA connections carry a CRC of their own even if the client does not ask. Default: off.")
    private CrcPolicy crc = CrcPolicy.OFF;

    @Option(
            names = "--markers",
            description = {
                "Ask RDMA clients for MPA markers in what they send, to find FPDUs by. Not with Linux clients: their siw knows",
                "no markers and breaks the connection off. Clients that ask for markers get them in any case."
            })
    private boolean markers;

    @Option(
            names = "--read-replies",
            description = {
                "Let an RDMA client that offered too little space for a reply read it from the server's memory, as RFC 5666",
                "has it. Linux clients have no use for it. Default: such a call fails."
            })
    private boolean readReplies;

    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            description =
                    "NFSv4 lease, and the longest wait for clients to reclaim state after a restart. Default: 90.")
    private int leaseSeconds = 90;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Calls to work on at once. Default: 4 for each core, at least 16.")
    private @Nullable Integer threads;

    @Option(
            names = "--payload-memory",
            paramLabel = "SIZE",
            description = "Memory for file data in flight. Default: 256m.")
    private String payloadMemory = "256m";

    @Option(
            names = "--manage-gids",
            description = {
                "Look the groups of AUTH_SYS users up in this host's name service, and do not believe what clients say of them.",
                "Users can be in more than 16 groups then."
            })
    private boolean manageGids;

    @Option(
            names = "--id-domain",
            paramLabel = "DOMAIN",
            description =
                    "Take USER@DOMAIN and GROUP@DOMAIN as owners from NFSv4 clients, for users and groups of this host.")
    private @Nullable String idDomain;

    @Option(
            names = "--id-map",
            paramLabel = "FILE",
            description =
                    "Names for users and groups, in the form of idmapd.conf's [Static]; also [Users] and [Groups].")
    private @Nullable Path idMap;

    @Option(
            names = "--id-names",
            description = {
                "Send names of owners to NFSv4 clients where there are any. Default: numbers, as Linux has it with sec=sys.",
                "Numbers are taken in any case."
            })
    private boolean idNames;

    @Option(
            names = "--http",
            paramLabel = "ADDR:PORT|off",
            description = "Where to answer HTTP: /metrics, /healthz, /readyz, and a status page. Default: "
                    + HttpAddress.DEFAULT + ".")
    private @Nullable String http;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        CommandSpec command = Objects.requireNonNull(spec);
        ServiceManager manager =
                ServiceManager.of(System.getenv(), ProcessHandle.current().pid());
        WatchedServer watched = WatchedServer.start(config(), http);
        WarpServer server = watched.server();
        if (exportsFiles != null) {
            ExportsReload reload = new ExportsReload(server, this::specs);
            Signals.on("HUP", () -> {
                manager.reloading();
                reload.run();
                manager.ready("exports read again at " + now());
            });
            if (watchExports) {
                reload.watch();
            }
        } else {
            // Its default would end the server.
            Signals.on("HUP", () -> LOG.info("SIGHUP: there is nothing to read again without --exports"));
        }
        Watchdog watchdog = Watchdog.start(manager, within -> NullCall.ask(server.tcpAddress(), within));
        CountDownLatch stopped = new CountDownLatch(1);
        Thread stopping = new Thread(
                () -> {
                    watchdog.close();
                    manager.stopping();
                    stop(watched, stopped);
                },
                "warpnfs-stop");
        Runtime.getRuntime().addShutdownHook(stopping);
        PrintWriter out = command.commandLine().getOut();
        out.println("warpnfs " + Version.number());
        server.describe().forEach(out::println);
        watched.describe().ifPresent(out::println);
        out.println("ready");
        out.flush();
        manager.ready("serves since " + now());
        stopped.await();
        return 0;
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS);
    }

    /** Runs as the virtual machine's shutdown hook: whoever asked to stop finds a clean end and exit status 0. */
    private static void stop(WatchedServer server, CountDownLatch stopped) {
        int status = Main.FAILURE;
        try {
            server.close();
            status = 0;
        } finally {
            stopped.countDown();
            Runtime.getRuntime().halt(status);
        }
    }

    private ServerConfig config() throws ConfigException {
        return new ServerConfig(
                specs(),
                backend,
                ByteSize.parse("--memory-size", memorySize),
                address("--rdma-port", rdmaPort),
                address("--tcp-port", tcpPort),
                backend == Backend.LOCAL ? stateDirectory() : state,
                new RdmaChoices(crc, markers, readReplies),
                Duration.ofSeconds(within("--lease", leaseSeconds, 1, 3600)),
                threads == null
                        ? Math.max(16, 4 * Runtime.getRuntime().availableProcessors())
                        : within("--threads", threads, 1, 1024),
                payloadBytes(),
                Duration.ofSeconds(10),
                identities());
    }

    private IdentityChoices identities() throws ConfigException {
        if (idDomain != null && (idDomain.isEmpty() || idDomain.indexOf('@') >= 0)) {
            throw new ConfigException("--id-domain " + idDomain + ": not a domain, such as example.org");
        }
        if (idNames && idDomain == null && idMap == null) {
            throw new ConfigException("--id-names: there is no --id-domain and no --id-map to have names from");
        }
        StaticNames map = idMap == null ? StaticNames.NONE : IdMapFile.read(idMap);
        return new IdentityChoices(manageGids, new MappedNames.Choices(idDomain, map, idNames));
    }

    /** What is to be exported, as files and flags say now. */
    private List<ExportSpec> specs() throws ConfigException {
        List<ExportSpec> said = new ArrayList<>();
        for (String export : exports) {
            said.add(ExportSpec.parse(export));
        }
        List<Path> files = exportsFiles;
        if (files == null) {
            if (watchExports) {
                throw new ConfigException("--watch-exports: there is no --exports whose files could change");
            }
            return ServerConfig.placed(said, backend);
        }
        if (backend != Backend.LOCAL) {
            throw new ConfigException("--exports: files of exports(5) name directories; the memory backend has none");
        }
        List<ExportSpec> specs = new ArrayList<>(ServerConfig.placedBesideOthers(said, backend));
        specs.addAll(ExportsFiles.read(files.isEmpty() ? defaultFiles() : files, hostNames));
        return specs;
    }

    private static List<Path> defaultFiles() {
        return Stream.of(Path.of("/etc/exports"), Path.of("/etc/exports.d"))
                .filter(Files::exists)
                .toList();
    }

    private long payloadBytes() throws ConfigException {
        long bytes = ByteSize.parse("--payload-memory", payloadMemory);
        if (bytes < ServerConfig.MIN_PAYLOAD_BYTES) {
            throw new ConfigException("--payload-memory " + payloadMemory + ": below " + ServerConfig.MIN_PAYLOAD_BYTES
                    + " bytes, which a few large transfers take");
        }
        return bytes;
    }

    private InetSocketAddress address(String option, int port) throws ConfigException {
        within(option, port, 0, MAX_PORT);
        if (listen == null) {
            return new InetSocketAddress(port);
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(listen), port);
        } catch (UnknownHostException e) {
            throw new ConfigException("--listen " + listen + ": no such address", e);
        }
    }

    private Path stateDirectory() {
        if (state != null) {
            return state;
        }
        if (System.getProperty("user.name").equals("root")) {
            return Path.of("/var/lib/warpnfs");
        }
        String stateHome = System.getenv("XDG_STATE_HOME");
        return stateHome == null || stateHome.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".local", "state", "warpnfs")
                : Path.of(stateHome, "warpnfs");
    }

    private static int within(String option, int value, int min, int max) throws ConfigException {
        if (value < min || value > max) {
            throw new ConfigException(option + " " + value + ": not within " + min + ".." + max);
        }
        return value;
    }
}
