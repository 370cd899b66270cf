package org.warpnfs.server.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.CrcPolicy;
import org.warpnfs.server.config.LogFormat;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.ServerLimits;

/**
 * The table of all settings. The keys of those with an option are the option's name, as the file writes it
 * ({@code --rdma-port} is {@code rdmaPort}); those of limits are the names in
 * {@link org.warpnfs.server.limits.ServerLimits}.
 */
public final class Settings {
    /** Of ports. */
    static final Kind.Whole PORT = new Kind.Whole(0, 65_535);

    public static final Setting<List<String>> EXPORT = Setting.of(
                    "export",
                    new Kind.Words("DIR[:/PATH][,OPTION...]", false),
                    List.<String>of(),
                    "A directory to serve, where clients find it, and how, in the options of exports(5); may be "
                            + "repeated.",
                    "The only one is found at /, of several each at its own absolute path.",
                    "Options: rw (default), ro, root_squash (default), no_root_squash, all_squash, anonuid=N, "
                            + "anongid=N, secure,",
                    "insecure (default), sec=sys:none, crossmnt, nohide, fsid=N, nordirplus, mountpoint.")
            .shown("./export, made if it is missing")
            .flag("--export", "DIR[:/PATH][,OPTION...]");

    public static final Setting<List<String>> EXPORTS = Setting.of(
                    "exports",
                    new Kind.Words("files", true),
                    List.<String>of(),
                    "Files of exports(5), or directories of *.exports; read again on SIGHUP. Without FILE "
                            + "/etc/exports and",
                    "/etc/exports.d. Beside these, --export names more.")
            .shown("none")
            .flag("--exports", "FILE");

    public static final Setting<Boolean> WATCH_EXPORTS = Setting.of(
                    "watchExports",
                    new Kind.Switch(),
                    false,
                    "Read the files of --exports again when they change, as those of a ConfigMap do.")
            .flag("--watch-exports", "");

    public static final Setting<Backend> BACKEND = Setting.of(
                    "backend",
                    new Kind.Choice<>(Backend.class),
                    Backend.LOCAL,
                    "Where the files are: directories of this host, or the server's memory.")
            .flag("--backend", "local|memory");

    public static final Setting<Long> MEMORY_SIZE = Setting.of(
                    "memorySize",
                    new Kind.Bytes(0, 1L << 50, 1),
                    1L << 30,
                    "With --backend memory, the capacity of each export.")
            .flag("--memory-size", "SIZE");

    public static final Setting<String> LISTEN = Setting.of(
                    "listen",
                    new Kind.Text("an address or a name of this host", false),
                    "",
                    "The address to listen at.")
            .shown("every address of this host")
            .flag("--listen", "ADDR");

    public static final Setting<Long> RDMA_PORT =
            Setting.of("rdmaPort", PORT, 20_049L, "Port for NFS over RDMA.").flag("--rdma-port", "PORT");

    public static final Setting<Long> TCP_PORT = Setting.of("tcpPort", PORT, 2049L, "Port for NFS and MOUNT over TCP.")
            .flag("--tcp-port", "PORT");

    public static final Setting<String> STATE = Setting.of(
                    "state", new Kind.Text("a directory", false), "", "Where to keep what must outlive a restart.")
            .shown("/var/lib/warpnfs for root, else warpnfs below $XDG_STATE_HOME or ~/.local/state")
            .flag("--state", "DIR");

    public static final Setting<CrcPolicy> CRC = Setting.of(
                    "crc",
                    new Kind.Choice<>(CrcPolicy.class),
                    CrcPolicy.OFF,
                    "Whether RDMA connections carry a CRC of their own even if the client does not ask.")
            .flag("--crc", "off|on");

    public static final Setting<Boolean> MARKERS = Setting.of(
                    "markers",
                    new Kind.Switch(),
                    false,
                    "Ask RDMA clients for MPA markers in what they send, to find FPDUs by. Not with Linux "
                            + "clients: their siw knows",
                    "no markers and breaks the connection off. Clients that ask for markers get them in any case.")
            .flag("--markers", "");

    public static final Setting<Boolean> READ_REPLIES = Setting.of(
                    "readReplies",
                    new Kind.Switch(),
                    false,
                    "Let an RDMA client that offered too little space for a reply read it from the server's "
                            + "memory, as RFC 5666",
                    "has it. Linux clients have no use for it. By default such a call fails.")
            .flag("--read-replies", "");

    public static final Setting<Duration> LEASE = Setting.of(
                    "lease",
                    new Kind.Time(Duration.ofSeconds(1), Duration.ofHours(1)),
                    Duration.ofSeconds(90),
                    "NFSv4 lease, and the longest wait for clients to reclaim state after a restart.")
            .flag("--lease", "SECONDS");

    public static final Setting<Long> THREADS = Setting.of(
                    "threads",
                    new Kind.Whole(1, 1024),
                    (long) Math.max(16, 4 * Runtime.getRuntime().availableProcessors()),
                    "Calls to work on at once in each lane: those that are short, those that move data, and "
                            + "those that may take long",
                    "have threads of their own.")
            .shown("4 for each core, at least 16")
            .flag("--threads", "N");

    public static final Setting<Boolean> MANAGE_GIDS = Setting.of(
                    "manageGids",
                    new Kind.Switch(),
                    false,
                    "Look the groups of AUTH_SYS users up in this host's name service, and do not believe what "
                            + "clients say of them.",
                    "Users can be in more than 16 groups then.")
            .flag("--manage-gids", "");

    public static final Setting<String> ID_DOMAIN = Setting.of(
                    "idDomain",
                    new Kind.Text("a domain, such as example.org", false),
                    "",
                    "Take USER@DOMAIN and GROUP@DOMAIN as owners from NFSv4 clients, for users and groups of "
                            + "this host.")
            .shown("none")
            .flag("--id-domain", "DOMAIN");

    public static final Setting<String> ID_MAP = Setting.of(
                    "idMap",
                    new Kind.Text("a file", false),
                    "",
                    "Names for users and groups, in the form of idmapd.conf's [Static]; also [Users] and [Groups].")
            .shown("none")
            .flag("--id-map", "FILE");

    public static final Setting<Boolean> ID_NAMES = Setting.of(
                    "idNames",
                    new Kind.Switch(),
                    false,
                    "Send names of owners to NFSv4 clients where there are any. By default numbers, as Linux has "
                            + "it with sec=sys.",
                    "Numbers are taken in any case.")
            .flag("--id-names", "");

    public static final Setting<Duration> DRAIN = Setting.of(
                    "drain",
                    new Kind.Time(Duration.ZERO, Duration.ofMinutes(10)),
                    Duration.ofSeconds(10),
                    "How long a stop waits for calls that are under way, over each transport.")
            .because("a service manager waits longer before it kills");

    public static final Setting<String> HTTP = Setting.of(
                    "http",
                    new Kind.Text("ADDR:PORT, or off", true),
                    "127.0.0.1:9049",
                    "Where to answer HTTP: /metrics, /healthz, /readyz, and a status page.")
            .flag("--http", "ADDR:PORT|off");

    public static final Setting<String> RPCBIND = Setting.of(
                    "rpcbind",
                    new Kind.Text("register, serve, serve:ADDR:PORT, or off", true),
                    "register",
                    "Register with the rpcbind of this host, if one runs; or be the portmapper, at port 111 of "
                            + "every address unless",
                    "it says another; or neither: then clients name ports.")
            .flag("--rpcbind", "register|serve[:ADDR:PORT]|off");

    public static final Setting<Boolean> MOUNT_UDP = Setting.of(
                    "mountUdp",
                    new Kind.Switch(),
                    false,
                    "Serve MOUNT over UDP too, at the number of --tcp-port, for clients that ask there.")
            .flag("--mount-udp", "");

    public static final Setting<String> ADMIN = Setting.of(
                    "admin",
                    new Kind.Text("a path, or off", true),
                    "",
                    "The Unix socket at which warpnfs status, clients, drain and others are answered.")
            .shown("admin.sock in the state directory")
            .flag("--admin", "PATH|off");

    public static final Setting<LogFormat> LOG_FORMAT = Setting.of(
                    "logFormat",
                    new Kind.Choice<>(LogFormat.class),
                    LogFormat.TEXT,
                    "How lines of the log look: for people, or one JSON object each.")
            .flag("--log-format", "text|json");

    public static final Setting<Duration> SLOW_CALL = Setting.of(
                    "slowCall",
                    new Kind.Time(Duration.ZERO, Duration.ofHours(1)),
                    Duration.ofSeconds(10),
                    "Log calls that take as long, and where their time went; 0 for none.")
            .flag("--slow-call", "DURATION");

    public static final Setting<String> OTLP = Setting.of(
                    "otlp",
                    new Kind.Text("the URL of a receiver, such as http://127.0.0.1:4318", false),
                    "",
                    "Send calls as OpenTelemetry traces, their operations below them, to an OTLP receiver over HTTP.")
            .shown("none")
            .flag("--otlp", "URL");

    public static final Setting<Long> OTLP_ONE_IN = Setting.of(
                    "otlpOneIn",
                    new Kind.Whole(1, 1_000_000),
                    100L,
                    "With --otlp, of how many calls one is sent, at random.")
            .flag("--otlp-one-in", "N");

    /** Of {@code limits.memory}; the one limit that is an option too. */
    public static final Setting<Long> PAYLOAD_MEMORY = Setting.of(
                    LimitSettings.PREFIX + "memory.payloadBytes",
                    new Kind.Bytes(ServerConfig.MIN_PAYLOAD_BYTES, 1L << 40, 1),
                    ServerLimits.DEFAULT.memory().payloadBytes(),
                    "Memory for file data in flight.")
            .because("240 transfers of 1 MiB")
            .flag("--payload-memory", "SIZE");

    /** All of them, in the order in which people read them. */
    public static final List<Setting<?>> ALL = all();

    private static final Map<String, Setting<?>> BY_KEY = byKey();

    private Settings() {}

    private static List<Setting<?>> all() {
        List<Setting<?>> all = new ArrayList<>(List.of(
                EXPORT,
                EXPORTS,
                WATCH_EXPORTS,
                BACKEND,
                MEMORY_SIZE,
                LISTEN,
                RDMA_PORT,
                TCP_PORT,
                STATE,
                CRC,
                MARKERS,
                READ_REPLIES,
                LEASE,
                THREADS,
                MANAGE_GIDS,
                ID_DOMAIN,
                ID_MAP,
                ID_NAMES,
                DRAIN,
                HTTP,
                RPCBIND,
                MOUNT_UDP,
                ADMIN,
                LOG_FORMAT,
                SLOW_CALL,
                OTLP,
                OTLP_ONE_IN));
        all.addAll(LimitSettings.all(PAYLOAD_MEMORY));
        return List.copyOf(all);
    }

    private static Map<String, Setting<?>> byKey() {
        Map<String, Setting<?>> byKey = new LinkedHashMap<>();
        ALL.forEach(setting -> byKey.put(setting.key(), setting));
        return byKey;
    }

    /** The setting of that key; null if there is none. */
    static @Nullable Setting<?> byKey(String key) {
        return BY_KEY.get(key);
    }

    /** True if keys begin with that and a dot. */
    static boolean isGroup(String key) {
        return BY_KEY.keySet().stream().anyMatch(known -> known.startsWith(key + "."));
    }

    /** What may stand in the mapping of that prefix, which is empty or ends with a dot. */
    static List<String> keysIn(String prefix) {
        return BY_KEY.keySet().stream()
                .filter(key -> key.startsWith(prefix))
                .map(key -> {
                    int dot = key.indexOf('.', prefix.length());
                    return dot < 0 ? key.substring(prefix.length()) : key.substring(prefix.length(), dot);
                })
                .distinct()
                .toList();
    }
}
