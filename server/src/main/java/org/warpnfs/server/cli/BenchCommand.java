package org.warpnfs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.tcp.TlsTrust;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.CrcPolicy;
import org.warpnfs.tools.bench.Bench;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.BenchOptions;
import org.warpnfs.tools.bench.BenchReport;
import org.warpnfs.tools.bench.Operation;
import org.warpnfs.tools.bench.Protocol;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code warpnfs bench}: reads or writes a file on any NFS server and measures throughput and latency. */
@Command(
        name = "bench",
        description = {
            "Reads or writes a file of its own in an export of any NFS server, and measures throughput and latency.",
            "Progress goes to standard error, the result to standard output.",
            "Exit status: 0 for success, 1 for failure or errors, 2 for a wrong command line."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        subcommands = {BenchCompareCommand.class, BenchScaleCommand.class})
final class BenchCommand implements Callable<Integer> {
    private static final int MAX_SIZE_BYTES = 16 << 20;
    private static final int MAX_DEPTH = 128;
    private static final long MAX_BLOCKS = 1 << 30;

    @Spec
    private @Nullable CommandSpec spec;

    /** Required, but not where a subcommand is meant. */
    @Option(names = "--target", paramLabel = "HOST", description = "The server.")
    private @Nullable String target;

    @Mixin
    private NfsClientOptions client = new NfsClientOptions();

    @Option(
            names = "--op",
            paramLabel = "read|write|randread|randwrite",
            description = "The operation: sequential or random. Default: read.")
    private Operation operation = Operation.READ;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description = "Bytes of each READ or WRITE. Default: 1m; 4k for randread and randwrite.")
    private @Nullable String size;

    @Option(names = "--depth", paramLabel = "N", description = "Calls in flight on each connection. Default: 8.")
    private int depth = 8;

    @Option(names = "--connections", paramLabel = "N", description = "Default: 1.")
    private int connections = 1;

    @Option(names = "--seconds", paramLabel = "N", description = "How long to measure. Default: 10.")
    private int seconds = 10;

    @Option(names = "--warmup", paramLabel = "N", description = "Seconds of warm-up that are not measured. Default: 2.")
    private int warmUpSeconds = 2;

    @Option(names = "--count", paramLabel = "N", description = "Measure this many operations instead of a time.")
    private @Nullable Long count;

    @Option(names = "--file-size", paramLabel = "SIZE", description = "Size of the file. Default: 256m.")
    private String fileSize = "256m";

    @Option(names = "--stable", description = "Each WRITE is stable (FILE_SYNC); without it one COMMIT at the end.")
    private boolean stable;

    @Option(names = "--verify", description = "Compare the data that are read with the data that were written.")
    private boolean verify;

    @Option(names = "--crc", paramLabel = "off|on", description = "Ask for a CRC in each FPDU. Default: off.")
    private CrcPolicy crc = CrcPolicy.OFF;

    @Option(names = "--tls", description = "Call inside TLS (with tcp), whatever certificate the server has.")
    private boolean tls;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "Call inside TLS, if the server's certificate is from an authority in this file and has the"
                    + " name in --target.")
    private @Nullable Path tlsCa;

    @Option(names = "--timeout", paramLabel = "SECONDS", description = "Timeout of each call. Default: 30.")
    private int timeoutSeconds = 30;

    @Option(names = "--uid", paramLabel = "N", description = "User id of the calls. Default: that of this process.")
    private @Nullable Integer uid;

    @Option(names = "--gid", paramLabel = "N", description = "Group id of the calls. Default: that of this process.")
    private @Nullable Integer gid;

    @Option(
            names = "--server-pid",
            paramLabel = "PID",
            description = "Also report the CPU time of this process on this host.")
    private @Nullable Long serverPid;

    @Option(names = "--loopback", description = "Measure bare loopback TCP first, with the same sizes and depth.")
    private boolean loopback;

    @Option(names = "--json", description = "Print the result as one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        BenchOptions options;
        String server = target;
        if (server == null) {
            throw new ParameterException(command.commandLine(), "Missing required option: '--target=HOST'");
        }
        InetAddress host = HostAddress.of("--target " + server, server);
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
        int sizeBytes = (int) OptionRange.sizeWithin("--size", sizeText(), 1, MAX_SIZE_BYTES);
        long fileBytes = OptionRange.sizeWithin("--file-size", fileSize, sizeBytes, 1L << 40);
        if (fileBytes / sizeBytes > MAX_BLOCKS) {
            throw new ConfigException("--file-size " + fileSize + ": more than " + MAX_BLOCKS + " blocks of --size");
        }
        return new BenchOptions(
                new InetSocketAddress(host, client.nfsPort()),
                new InetSocketAddress(host, client.mountPort()),
                client.protocol(),
                client.version(),
                client.export(),
                operation,
                sizeBytes,
                fileBytes,
                OptionRange.within("--depth", depth, 1, MAX_DEPTH),
                OptionRange.within("--connections", connections, 1, 1024),
                Duration.ofSeconds(OptionRange.within("--seconds", seconds, 1, 86_400)),
                Duration.ofSeconds(OptionRange.within("--warmup", warmUpSeconds, 0, 3600)),
                count == null ? OptionalLong.empty() : OptionalLong.of(atLeastOne(count)),
                stable,
                verify,
                crc == CrcPolicy.ON,
                client.clientThreads(),
                Duration.ofSeconds(OptionRange.within("--timeout", timeoutSeconds, 1, 3600)),
                NfsClientOptions.caller("warpnfs-bench", uid, gid),
                serverPid == null ? OptionalLong.empty() : OptionalLong.of(serverPid),
                trust(),
                loopback);
    }

    private @Nullable TlsTrust trust() throws ConfigException {
        if (!tls && tlsCa == null) {
            return null;
        }
        if (client.protocol() != Protocol.TCP) {
            throw new ConfigException("--tls needs --proto tcp: RDMA has no TLS");
        }
        try {
            return tlsCa == null ? TlsTrust.anyServer() : TlsTrust.of(tlsCa);
        } catch (IOException e) {
            throw new ConfigException("--tls-ca: " + e.getMessage(), e);
        }
    }

    private String sizeText() {
        return size != null ? size : operation.random() ? "4k" : "1m";
    }

    private static long atLeastOne(long value) throws ConfigException {
        if (value < 1) {
            throw new ConfigException("--count " + value + ": not at least 1");
        }
        return value;
    }
}
