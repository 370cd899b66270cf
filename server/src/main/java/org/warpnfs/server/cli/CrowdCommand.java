package org.warpnfs.server.cli;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.crowd.Crowd;
import org.warpnfs.tools.bench.crowd.CrowdOptions;
import org.warpnfs.tools.bench.crowd.CrowdReport;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code warpnfs crowd}: many connections to any NFS server at once, and whether each of them is served. */
@Command(
        name = "crowd",
        description = {
            "Opens many connections to any NFS server, and works on a file of its own over each.",
            "Each writes, commits, reads and looks at its file, one call at a time, and compares all that comes back. "
                    + "Progress goes to standard error, the result to standard output.",
            "Exit status: 0 if every connection was served without an error, else 1; 2 for a command line that "
                    + "cannot be understood."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class CrowdCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final int PAGE_BYTES = 4096;
    private static final int BLOCKS = 16;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--target",
            required = true,
            split = ",",
            paramLabel = "HOST",
            description = "The server. Connections go to several by turns: addresses of one server.")
    private List<String> targets = List.of();

    @Option(names = "--proto", paramLabel = "rdma|tcp", description = "What the calls go over. Default: rdma.")
    private Protocol protocol = Protocol.RDMA;

    @Option(names = "--vers", paramLabel = "3|4.1", description = "The version of NFS. Default: 4.1.")
    private String version = "4.1";

    @Option(names = "--connections", paramLabel = "N", description = "Default: 1000.")
    private int connections = 1000;

    @Option(names = "--opening", paramLabel = "N", description = "Connections opened at the same time. Default: 32.")
    private int opening = 32;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description = "Of each READ and WRITE; files have 16 of them. Default: 8k.")
    private String size = "8k";

    @Option(names = "--seconds", paramLabel = "N", description = "How long, once all are open. Default: 60.")
    private int seconds = 60;

    @Option(
            names = "--pause",
            paramLabel = "MILLISECONDS",
            description = "Between two calls of a connection. Default: 0.")
    private int pauseMillis;

    @Option(names = "--export", paramLabel = "/PATH", description = "A directory that can be written to. Default: /.")
    private String export = "/";

    @Option(names = "--port", paramLabel = "PORT", description = "Default: 20049 for rdma, 2049 for tcp.")
    private @Nullable Integer port;

    @Option(
            names = "--mount-port",
            paramLabel = "PORT",
            description = "Of MOUNT over TCP, with --vers 3. Default: --port with tcp, else 2049.")
    private @Nullable Integer mountPort;

    @Option(names = "--client-threads", paramLabel = "N", description = "Threads for all connections. Default: 1.")
    private int clientThreads = 1;

    @Option(names = "--timeout", paramLabel = "SECONDS", description = "Of each call. Default: 60.")
    private int timeoutSeconds = 60;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        CrowdOptions options;
        try {
            options = options();
        } catch (ConfigException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        CrowdReport report;
        try {
            report = Crowd.run(options, line -> {
                err.println(line);
                err.flush();
            });
        } catch (BenchException e) {
            throw new ConfigException(String.valueOf(e.getMessage()), e);
        }
        report.lines().forEach(out::println);
        out.flush();
        return report.clean() ? 0 : Main.FAILURE;
    }

    private CrowdOptions options() throws ConfigException {
        int nfsPort = port == null ? protocol.defaultPort() : BenchCommand.within("--port", port, 1, MAX_PORT);
        int mount = protocol == Protocol.TCP ? nfsPort : Protocol.TCP.defaultPort();
        if (mountPort != null) {
            mount = BenchCommand.within("--mount-port", mountPort, 1, MAX_PORT);
        }
        int sizeBytes = (int) BenchCommand.sizeWithin("--size", size, PAGE_BYTES, 1 << 20);
        if (sizeBytes % PAGE_BYTES != 0) {
            throw new ConfigException("--size " + size + ": not a multiple of 4k");
        }
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String target : targets) {
            servers.add(new InetSocketAddress(host(target), nfsPort));
        }
        return new CrowdOptions(
                servers,
                new InetSocketAddress(servers.getFirst().getAddress(), mount),
                protocol,
                switch (version) {
                    case "3" -> 3;
                    case "4.1" -> 4;
                    default -> throw new ConfigException("--vers " + version + ": not 3 or 4.1");
                },
                export,
                BenchCommand.within("--connections", connections, 1, 20_000),
                BenchCommand.within("--opening", opening, 1, 1000),
                sizeBytes,
                BLOCKS,
                Duration.ofSeconds(BenchCommand.within("--seconds", seconds, 1, 86_400)),
                Duration.ofMillis(BenchCommand.within("--pause", pauseMillis, 0, 60_000)),
                BenchCommand.within("--client-threads", clientThreads, 1, 256),
                Duration.ofSeconds(BenchCommand.within("--timeout", timeoutSeconds, 1, 3600)),
                new AuthSysCredential("warpnfs-crowd", BenchCommand.id("uid", null), BenchCommand.id("gid", null)));
    }

    private static InetAddress host(String target) throws ConfigException {
        try {
            return InetAddress.getByName(target);
        } catch (UnknownHostException e) {
            throw new ConfigException("--target " + target + ": no such host", e);
        }
    }
}
