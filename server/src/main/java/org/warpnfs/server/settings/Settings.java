package org.warpnfs.server.settings;

import java.time.Duration;
import java.util.List;
import org.warpnfs.nfs.v4.layout.DataServers;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.server.config.CrcPolicy;
import org.warpnfs.server.config.DataPath.OnOff;
import org.warpnfs.server.config.LogFormat;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.ServerLimits;

/**
 * The rows of the table of settings; {@link SettingIndex} has them in order and by their keys. The key of a setting
 * with an option is the option's name in the spelling of the file ({@code --rdma-port} is {@code rdmaPort}); the keys
 * of limits are the names in {@link org.warpnfs.server.limits.ServerLimits}.
 */
public final class Settings {
    public static final Setting<List<String>> EXPORT = Setting.of(
                    "export",
                    new Kind.Words("DIR[:/PATH][,OPTION...]", false),
                    List.<String>of(),
                    "A directory to serve, optionally its path for clients and options of exports(5); may be repeated.",
                    "A single export is mounted at /, each of several at its own absolute path.",
                    "Options: rw (default), ro, root_squash (default), no_root_squash, all_squash, anonuid=N, "
                            + "anongid=N, secure,",
                    "insecure (default), sec=sys:none, xprtsec=none:tls:mtls, transport=rdma:tcp, crossmnt, nohide,",
                    "fsid=N, nordirplus, mountpoint, pnfs, identity=caller|mapped|one.")
            .shown("./export, created if it is missing")
            .flag("--export", "DIR[:/PATH][,OPTION...]");

    public static final Setting<List<String>> EXPORTS = Setting.of(
                    "exports",
                    new Kind.Words("files", true),
                    List.<String>of(),
                    "Files in the format of exports(5), or directories of *.exports files; read again on SIGHUP.",
                    "Without FILE: /etc/exports and /etc/exports.d. --export may add more exports.")
            .shown("none")
            .flag("--exports", "FILE");

    public static final Setting<Boolean> WATCH_EXPORTS = Setting.of(
                    "watchExports",
                    new Kind.Switch(),
                    false,
                    "Read the files of --exports again when they change, for instance those of a ConfigMap.")
            .flag("--watch-exports", "");

    /** The built-in backends are the names of {@link org.warpnfs.server.config.Backend}. */
    public static final Setting<String> BACKEND = Setting.of(
                    "backend",
                    new Kind.Text("local, memory, ceph, or the name of a plug-in's backend", false),
                    "local",
                    "Where the files are stored: directories of this host, the server's memory, a file system of Ceph,",
                    "or what the backend of a plug-in serves. warpnfs doctor --plugins DIR lists the backends of",
                    "plug-ins.")
            .flag("--backend", "local|memory|ceph|NAME");

    public static final Setting<String> CEPH_CONF = Setting.of(
                    "cephConf",
                    new Kind.Text("a file", false),
                    "/etc/ceph/ceph.conf",
                    "With --backend ceph, the ceph.conf: the monitors, and where the user's key is.")
            .flag("--ceph-conf", "FILE");

    public static final Setting<String> CEPH_ID = Setting.of(
                    "cephId",
                    new Kind.Text("a name", false),
                    "admin",
                    "With --backend ceph, the user of the cluster that the server is, without 'client.'.")
            .flag("--ceph-id", "NAME");

    public static final Setting<String> CEPH_FILESYSTEM = Setting.of(
                    "cephFilesystem",
                    new Kind.Text("a name", false),
                    "",
                    "With --backend ceph, the file system. Without this it is the cluster's default.")
            .shown("the cluster's default")
            .flag("--ceph-filesystem", "NAME");

    public static final Setting<String> PLUGINS = Setting.of(
                    "plugins",
                    new Kind.Text("a directory", false),
                    "",
                    "The directory of plug-ins. Each jar in it is one, and each subdirectory with a plug-in's jars.",
                    "Plug-ins run with all rights of the server. They are loaded only if --backend names one.")
            .shown("none")
            .flag("--plugins", "DIR");

    public static final Setting<List<String>> BACKEND_OPTION = Setting.of(
                    "backendOption",
                    new Kind.Words("KEY=VALUE", true),
                    List.<String>of(),
                    "Options of a plug-in's backend.")
            .shown("none")
            .flag("--backend-option", "KEY=VALUE");

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
                    "The address to listen on.")
            .shown("every address of this host")
            .flag("--listen", "ADDR");

    public static final Setting<Long> RDMA_PORT = Setting.of(
                    "rdmaPort",
                    new Kind.Port(),
                    20_049L,
                    "Port for NFS over RDMA. With off, nothing is served over RDMA.")
            .flag("--rdma-port", "PORT|off");

    public static final Setting<Long> TCP_PORT = Setting.of(
                    "tcpPort",
                    new Kind.Port(),
                    2049L,
                    "Port for NFS and MOUNT over TCP. With off, nothing is served over TCP, and no MOUNT and NLM, so",
                    "that clients need NFSv4 over RDMA.")
            .flag("--tcp-port", "PORT|off");

    public static final Setting<String> TLS_CERTIFICATE = Setting.of(
                    "tlsCertificate",
                    new Kind.Text("a file", false),
                    "",
                    "The server's certificate in PEM, and behind it those that it was issued by. With it, clients may "
                            + "use TLS over TCP",
                    "(xprtsec=tls). The file is read again when it changes.")
            .shown("none: no TLS")
            .flag("--tls-certificate", "FILE");

    public static final Setting<String> TLS_KEY = Setting.of(
                    "tlsKey",
                    new Kind.Text("a file", false),
                    "",
                    "The key of --tls-certificate in PEM (PKCS#8, no password), which other users must not be able to "
                            + "read.")
            .shown("none")
            .flag("--tls-key", "FILE");

    public static final Setting<String> TLS_CLIENT_CA = Setting.of(
                    "tlsClientCa",
                    new Kind.Text("a file", false),
                    "",
                    "Certificates of those who issue certificates to clients, in PEM. With it, clients are asked for "
                            + "theirs",
                    "(xprtsec=mtls).")
            .shown("none: clients are not asked")
            .flag("--tls-client-ca", "FILE");

    public static final Setting<List<String>> TLS_USER = Setting.of(
                    "tlsUser",
                    new Kind.Words("NAME=UID[:GID]", true),
                    List.<String>of(),
                    "The user as whom a client acts that has shown a certificate with this name (alternative name or "
                            + "common",
                    "name), whatever users it names in AUTH_SYS. May be repeated.")
            .shown("none: clients name their users")
            .flag("--tls-user", "NAME=UID[:GID]");

    public static final Setting<String> STATE = Setting.of(
                    "state",
                    new Kind.Text("a directory", false),
                    "",
                    "The directory for what must survive a restart: the key of file handles, the NFSv4 recovery "
                            + "journal.")
            .shown("/var/lib/warpnfs for root, else warpnfs below $XDG_STATE_HOME or ~/.local/state")
            .flag("--state", "DIR");

    public static final Setting<CrcPolicy> CRC = Setting.of(
                    "crc",
                    new Kind.Choice<>(CrcPolicy.class),
                    CrcPolicy.OFF,
                    "Whether RDMA connections carry a CRC even if the client does not ask for it.")
            .flag("--crc", "off|on");

    public static final Setting<List<String>> FPDU = Setting.of(
                    "fpdu",
                    new Kind.Words("mss|16k|64k or NETWORK=mss|16k|64k", true),
                    List.<String>of(),
                    "How long FPDUs (frames) to RDMA clients may be, or to those of a network; the narrowest counts.",
                    "May be repeated. mss: what fits a TCP segment, which iWARP adapters need. Larger ones cost less,",
                    "for Linux clients with siw.")
            .shown("mss")
            .flag("--fpdu", "SIZE|NETWORK=SIZE");

    public static final Setting<Boolean> MARKERS = Setting.of(
                    "markers",
                    new Kind.Switch(),
                    false,
                    "Ask RDMA clients to send MPA markers, by which FPDUs can be found. Not for Linux clients:",
                    "siw does not support markers and closes the connection. Clients that ask for markers "
                            + "always get them.")
            .flag("--markers", "");

    public static final Setting<Boolean> READ_REPLIES = Setting.of(
                    "readReplies",
                    new Kind.Switch(),
                    false,
                    "Let an RDMA client that offered too little space for a reply read it from the server's "
                            + "memory (RFC 5666).",
                    "Linux clients do not use this. By default such a call fails.")
            .flag("--read-replies", "");

    public static final Setting<OnOff> SPLICE = Setting.of(
                    "splice",
                    new Kind.Choice<>(OnOff.class),
                    OnOff.ON,
                    "Send data of large reads to the socket without a copy: from the page cache, where the kernel "
                            + "(Linux 6.5",
                    "or later) and the connection permit it, and from files that the server keeps in memory. With off, "
                            + "all data",
                    "are read before they are sent.")
            .flag("--splice", "on|off");

    public static final Setting<OnOff> INLINE = Setting.of(
                    "inline",
                    new Kind.Choice<>(OnOff.class),
                    OnOff.ON,
                    "Run calls that need not wait, such as GETATTR and short reads of the page cache, on the event",
                    "loop that received them. With off, every call runs on a thread of its lane.")
            .flag("--inline", "on|off");

    public static final Setting<Duration> LEASE = Setting.of(
                    "lease",
                    new Kind.Time(Duration.ofSeconds(1), Duration.ofHours(1)),
                    Duration.ofSeconds(90),
                    "NFSv4 lease, and the longest grace period after a restart.")
            .flag("--lease", "SECONDS");

    public static final Setting<String> CLUSTER = Setting.of(
                    "cluster",
                    new Kind.Text("a name", false),
                    "",
                    "The cluster of gateways of the same files that this server belongs to (docs/cluster.md).")
            .shown("none: the server is alone")
            .flag("--cluster", "NAME");

    public static final Setting<String> NODE = Setting.of(
                    "node",
                    new Kind.Text("a name", false),
                    "",
                    "The name of this gateway in its cluster; whoever takes its address over starts with it too.")
            .shown("none")
            .flag("--node", "NAME");

    public static final Setting<String> CLUSTER_DIRECTORY = Setting.of(
                    "clusterDirectory",
                    new Kind.Text("a directory", false),
                    "",
                    "A directory that all gateways of the cluster see. Its subdirectory NAME must exist. With",
                    "--backend ceph it is not needed: what they share is in Ceph itself.")
            .shown("none")
            .flag("--cluster-directory", "DIR");

    public static final Setting<String> CLUSTER_POOL = Setting.of(
                    "clusterPool",
                    new Kind.Text("a pool", false),
                    "",
                    "With --backend ceph and --cluster, the replicated pool in which the gateways keep what they",
                    "share.")
            .shown("the first data pool of the file system")
            .flag("--cluster-pool", "POOL");

    public static final Setting<List<String>> NODE_ADDRESSES = Setting.of(
                    "nodeAddresses",
                    new Kind.Words("an address or a name", true),
                    List.<String>of(),
                    "An address at which clients reach this gateway. NFSv4 clients are told those of all gateways that",
                    "have some, by fs_locations. May be repeated: then they may use them all for one session.")
            .shown("none: clients are told of no gateway")
            .flag("--node-address", "ADDRESS");

    public static final Setting<DelegationPolicy> DELEGATIONS = Setting.of(
                    "delegations",
                    new Kind.Choice<>(DelegationPolicy.class),
                    DelegationPolicy.READ,
                    "Which delegations NFSv4 clients get: none, those to read, those to write too, or all, also of",
                    "directories. Programs of this host recall none: use write or all only if they neither read nor",
                    "change what clients write, and none if they change files that clients read.")
            .flag("--delegations", "none|read|write|all");

    public static final Setting<Long> THREADS = Setting.of(
                    "threads",
                    new Kind.Whole(1, 1024),
                    (long) Math.max(16, 4 * Runtime.getRuntime().availableProcessors()),
                    "Threads of each lane: short calls, calls that move data, and calls that may take long",
                    "have separate lanes.")
            .shown("4 per core, at least 16")
            .flag("--threads", "N");

    public static final Setting<Boolean> MANAGE_GIDS = Setting.of(
                    "manageGids",
                    new Kind.Switch(),
                    false,
                    "Look up the groups of AUTH_SYS users in this host's name service, and ignore those that "
                            + "clients send.",
                    "A user can then be in more than 16 groups.")
            .flag("--manage-gids", "");

    public static final Setting<String> ID_DOMAIN = Setting.of(
                    "idDomain",
                    new Kind.Text("a domain, such as example.org", false),
                    "",
                    "Accept USER@DOMAIN and GROUP@DOMAIN as owners from NFSv4 clients, for users and groups of "
                            + "this host.")
            .shown("none")
            .flag("--id-domain", "DOMAIN");

    public static final Setting<String> ID_MAP = Setting.of(
                    "idMap",
                    new Kind.Text("a file", false),
                    "",
                    "A file that maps names to users and groups, in the format of idmapd.conf's [Static]; also "
                            + "[Users] and [Groups].")
            .shown("none")
            .flag("--id-map", "FILE");

    public static final Setting<Boolean> ID_NAMES = Setting.of(
                    "idNames",
                    new Kind.Switch(),
                    false,
                    "Send owners to NFSv4 clients as names, if they have names. By default as numbers, like "
                            + "Linux with sec=sys.",
                    "The server always accepts numbers.")
            .flag("--id-names", "");

    public static final Setting<String> KEYTAB = Setting.of(
                    "keytab",
                    new Kind.Text("a file", false),
                    "",
                    "Accept Kerberos (RPCSEC_GSS) with the keys of nfs/HOST@REALM in this keytab. Exports choose it",
                    "by sec=krb5, krb5i or krb5p.")
            .shown("none")
            .flag("--keytab", "FILE");

    public static final Setting<String> PRINCIPAL = Setting.of(
                    "principal",
                    new Kind.Text("a principal, such as nfs/server.example.org@EXAMPLE.ORG", false),
                    "",
                    "Use the keys of this principal alone.")
            .shown("every nfs/HOST of the keytab")
            .flag("--principal", "nfs/HOST@REALM");

    public static final Setting<Duration> DRAIN = Setting.of(
                    "drain",
                    new Kind.Time(Duration.ZERO, Duration.ofMinutes(10)),
                    Duration.ofSeconds(10),
                    "How long a stop waits for calls under way, for each transport.")
            .because("service managers wait longer before they kill a process");

    public static final Setting<String> HTTP = Setting.of(
                    "http",
                    new Kind.Text("ADDR:PORT, or off", true),
                    "127.0.0.1:9049",
                    "The address for HTTP: /metrics, /healthz, /readyz, and a status page.")
            .flag("--http", "ADDR:PORT|off");

    public static final Setting<String> RPCBIND = Setting.of(
                    "rpcbind",
                    new Kind.Text("register, serve, serve:ADDR:PORT, or off", true),
                    "register",
                    "Register with the rpcbind of this host, if one runs; or be the portmapper, by default on "
                            + "port 111 of",
                    "every address; or neither, so that clients must name ports.")
            .flag("--rpcbind", "register|serve[:ADDR:PORT]|off");

    public static final Setting<Boolean> MOUNT_UDP = Setting.of(
                    "mountUdp",
                    new Kind.Switch(),
                    false,
                    "Serve MOUNT over UDP too, on the same port number as --tcp-port.")
            .flag("--mount-udp", "");

    public static final Setting<OnOff> NLM = Setting.of(
                    "nlm",
                    new Kind.Choice<>(OnOff.class),
                    OnOff.ON,
                    "Let NFSv3 clients lock files: NLM and NSM are found through rpcbind, over TCP and UDP on the",
                    "port number of --tcp-port. With off, neither is served; then, or without rpcbind, they mount with",
                    "nolock.")
            .flag("--nlm", "on|off");

    public static final Setting<OnOff> HOST_LOCKS = Setting.of(
                    "hostLocks",
                    new Kind.Choice<>(OnOff.class),
                    OnOff.OFF,
                    "Take the byte-range locks of clients on the files too, where the backend has locks, so that "
                            + "processes",
                    "of this host and other servers see them. With off, locks exclude clients of this server alone.")
            .flag("--host-locks", "on|off");

    public static final Setting<List<String>> DATA_SERVERS = Setting.of(
                    "dataServers",
                    new Kind.Words("TRANSPORT:ADDRESS:PORT[,...]", true),
                    List.<String>of(),
                    "Data servers of pNFS: other servers of the same files, with the same handle-key, the same exports "
                            + "and NFSv3.",
                    "NFSv4.1 clients read and write there what exports with the option pnfs contain. TRANSPORT is tcp "
                            + "or rdma.",
                    "May be repeated, once for each data server; the first of its addresses is tried first.")
            .shown("none: clients get no layouts")
            .flag("--data-server", "TRANSPORT:ADDRESS:PORT[,...]");

    public static final Setting<Long> READ_MIRRORS = Setting.of(
                    "readMirrors",
                    new Kind.Whole(1, DataServers.MAX_MIRRORS),
                    1L,
                    "How many data servers a layout for reading names: a client goes on at the next one if one fails.")
            .flag("--read-mirrors", "N");

    public static final Setting<String> ADMIN = Setting.of(
                    "admin",
                    new Kind.Text("a path, or off", true),
                    "",
                    "The Unix socket for the commands warpnfs status, clients, drain and others.")
            .shown("admin.sock in the state directory")
            .flag("--admin", "PATH|off");

    public static final Setting<LogFormat> LOG_FORMAT = Setting.of(
                    "logFormat",
                    new Kind.Choice<>(LogFormat.class),
                    LogFormat.TEXT,
                    "The format of log lines: text, or one JSON object each.")
            .flag("--log-format", "text|json");

    public static final Setting<Duration> SLOW_CALL = Setting.of(
                    "slowCall",
                    new Kind.Time(Duration.ZERO, Duration.ofHours(1)),
                    Duration.ofSeconds(10),
                    "Log calls that take at least this long, and where their time went; 0 for none.")
            .flag("--slow-call", "DURATION");

    public static final Setting<String> OTLP = Setting.of(
                    "otlp",
                    new Kind.Text("the URL of a receiver, such as http://127.0.0.1:4318", false),
                    "",
                    "Send calls and their operations as OpenTelemetry traces to an OTLP receiver over HTTP.")
            .shown("none")
            .flag("--otlp", "URL");

    public static final Setting<Long> OTLP_ONE_IN = Setting.of(
                    "otlpOneIn", new Kind.Whole(1, 1_000_000), 100L, "With --otlp, send one call in N, at random.")
            .flag("--otlp-one-in", "N");

    /** The limit {@code limits.memory.payloadBytes}, the only limit with an option. */
    public static final Setting<Long> PAYLOAD_MEMORY = Setting.of(
                    LimitSettings.PREFIX + "memory.payloadBytes",
                    new Kind.Bytes(ServerConfig.MIN_PAYLOAD_BYTES, 1L << 40, 1),
                    ServerLimits.DEFAULT.memory().payloadBytes(),
                    "Memory for file data in flight.")
            .because("240 transfers of 1 MiB")
            .flag("--payload-memory", "SIZE");

    private Settings() {}
}
