package org.warpnfs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ByteSize;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.CrcPolicy;
import org.warpnfs.tools.bench.Bench;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.BenchOptions;
import org.warpnfs.tools.bench.BenchReport;
import org.warpnfs.tools.bench.Operation;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code warpnfs bench}: reads or writes a file of any NFS server for a while and says how fast it was. */
@Command(
        name = "bench",
        description = {
            "Reads or writes a file of its own in an export of any NFS server, and says how fast that was.",
            "Progress goes to standard error, the result to standard output.",
            "Exit status: 0 clean, 1 failed or with errors, 2 for a command line that cannot be understood."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class BenchCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final int MAX_SIZE_BYTES = 16 << 20;
    private static final int MAX_DEPTH = 128;
    private static final long MAX_BLOCKS = 1 << 30;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--target", required = true, paramLabel = "HOST", description = "The server.")
    private String target = "";

    @Option(names = "--proto", paramLabel = "rdma|tcp", description = "What the calls go over. Default: rdma.")
    private Protocol protocol = Protocol.RDMA;

    @Option(names = "--vers", paramLabel = "3|4.1", description = "The version of NFS. Default: 4.1.")
    private String version = "4.1";

    @Option(
            names = "--op",
            paramLabel = "read|write|randread|randwrite",
            description = "What to do: in order, or at random. Default: read.")
    private Operation operation = Operation.READ;

    @Option(names = "--size", paramLabel = "SIZE", description = "Of each READ or WRITE. Default: 1m; 4k at random.")
    private @Nullable String size;

    @Option(names = "--depth", paramLabel = "N", description = "Calls in flight on each connection. Default: 8.")
    private int depth = 8;

    @Option(names = "--connections", paramLabel = "N", description = "Default: 1.")
    private int connections = 1;

    @Option(names = "--seconds", paramLabel = "N", description = "How long to measure. Default: 10.")
    private int seconds = 10;

    @Option(names = "--warmup", paramLabel = "N", description = "Seconds before that do not count. Default: 2.")
    private int warmUpSeconds = 2;

    @Option(names = "--count", paramLabel = "N", description = "So many operations instead of a time.")
    private @Nullable Long count;

    @Option(names = "--file-size", paramLabel = "SIZE", description = "Of the file. Default: 256m.")
    private String fileSize = "256m";

    @Option(names = "--export", paramLabel = "/PATH", description = "A directory that can be written to. Default: /.")
    private String export = "/";

    @Option(names = "--port", paramLabel = "PORT", description = "Default: 20049 for rdma, 2049 for tcp.")
    private @Nullable Integer port;

    @Option(
            names = "--mount-port",
            paramLabel = "PORT",
            description = "Of MOUNT over TCP, with --vers 3. Default: --port with tcp, else 2049.")
    private @Nullable Integer mountPort;

    @Option(
            names = "--stable",
            description = "Each WRITE is on stable storage when answered; else one COMMIT at the end.")
    private boolean stable;

    @Option(names = "--verify", description = "Check that what is read is what was written.")
    private boolean verify;

    @Option(names = "--crc", paramLabel = "off|on", description = "Ask for a CRC in each FPDU. Default: off.")
    private CrcPolicy crc = CrcPolicy.OFF;

    @Option(names = "--client-threads", paramLabel = "N", description = "Threads for all connections. Default: 1.")
    private int clientThreads = 1;

    @Option(names = "--timeout", paramLabel = "SECONDS", description = "Of each call. Default: 30.")
    private int timeoutSeconds = 30;

    @Option(names = "--uid", paramLabel = "N", description = "As whom to call. Default: who runs this.")
    private @Nullable Integer uid;

    @Option(names = "--gid", paramLabel = "N", description = "As whom to call. Default: who runs this.")
    private @Nullable Integer gid;

    @Option(names = "--server-pid", paramLabel = "PID", description = "A process here whose CPU time is to be told.")
    private @Nullable Long serverPid;

    @Option(names = "--loopback", description = "Measure bare loopback TCP first, with the same sizes and depth.")
    private boolean loopback;

    @Option(names = "--json", description = "The result as one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        BenchOptions options;
        InetAddress host = HostAddress.of("--target " + target, target);
        try {
            options = options(host);
        } catch (ConfigException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        BenchReport report;
        try {
            report = Bench.run(options, line -> {
                err.println(line);
                err.flush();
            });
        } catch (BenchException e) {
            throw new ConfigException(String.valueOf(e.getMessage()), e);
        }
        (json ? List.of(report.json()) : report.lines()).forEach(out::println);
        out.flush();
        return report.clean() ? 0 : Main.FAILURE;
    }

    private BenchOptions options(InetAddress host) throws ConfigException {
        int sizeBytes = (int) sizeWithin("--size", sizeText(), 1, MAX_SIZE_BYTES);
        long fileBytes = sizeWithin("--file-size", fileSize, sizeBytes, 1L << 40);
        if (fileBytes / sizeBytes > MAX_BLOCKS) {
            throw new ConfigException("--file-size " + fileSize + ": more than " + MAX_BLOCKS + " blocks of --size");
        }
        int nfsPort = port == null ? protocol.defaultPort() : within("--port", port, 1, MAX_PORT);
        int mount = protocol == Protocol.TCP ? nfsPort : Protocol.TCP.defaultPort();
        if (mountPort != null) {
            mount = within("--mount-port", mountPort, 1, MAX_PORT);
        }
        return new BenchOptions(
                new InetSocketAddress(host, nfsPort),
                new InetSocketAddress(host, mount),
                protocol,
                version(),
                export(),
                operation,
                sizeBytes,
                fileBytes,
                within("--depth", depth, 1, MAX_DEPTH),
                within("--connections", connections, 1, 1024),
                Duration.ofSeconds(within("--seconds", seconds, 1, 86_400)),
                Duration.ofSeconds(within("--warmup", warmUpSeconds, 0, 3600)),
                count == null ? OptionalLong.empty() : OptionalLong.of(atLeastOne(count)),
                stable,
                verify,
                crc == CrcPolicy.ON,
                within("--client-threads", clientThreads, 1, 256),
                Duration.ofSeconds(within("--timeout", timeoutSeconds, 1, 3600)),
                new AuthSysCredential("warpnfs-bench", id("uid", uid), id("gid", gid)),
                serverPid == null ? OptionalLong.empty() : OptionalLong.of(serverPid),
                loopback);
    }

    private String sizeText() {
        return size != null ? size : operation.random() ? "4k" : "1m";
    }

    private int version() throws ConfigException {
        return switch (version) {
            case "3" -> 3;
            case "4.1" -> 4;
            default -> throw new ConfigException("--vers " + version + ": not 3 or 4.1");
        };
    }

    private String export() throws ConfigException {
        if (!export.startsWith("/")) {
            throw new ConfigException("--export " + export + ": a path begins with /");
        }
        return export;
    }

    private static long atLeastOne(long value) throws ConfigException {
        if (value < 1) {
            throw new ConfigException("--count " + value + ": not at least 1");
        }
        return value;
    }

    static int within(String option, int value, int min, int max) throws ConfigException {
        if (value < min || value > max) {
            throw new ConfigException(option + " " + value + ": not within " + min + ".." + max);
        }
        return value;
    }

    static long sizeWithin(String option, String text, long min, long max) throws ConfigException {
        long value = ByteSize.parse(option, text);
        if (value < min || value > max) {
            throw new ConfigException(option + " " + text + ": not within " + min + ".." + max + " bytes");
        }
        return value;
    }

    /** Whoever runs this owns what it makes: there is no closer way to ask. */
    static int id(String kind, @Nullable Integer said) {
        if (said != null) {
            return said;
        }
        try {
            Object own = Files.getAttribute(
                    Path.of("/proc/self"), "unix:" + kind.toLowerCase(Locale.ROOT), LinkOption.NOFOLLOW_LINKS);
            return (Integer) own;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return 0;
        }
    }
}
