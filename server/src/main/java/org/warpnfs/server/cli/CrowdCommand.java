package org.warpnfs.server.cli;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.crowd.Crowd;
import org.warpnfs.tools.bench.crowd.CrowdOptions;
import org.warpnfs.tools.bench.crowd.CrowdReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code warpnfs crowd}: opens many connections to any NFS server at once and checks that each is served. */
@Command(
        name = "crowd",
        description = {
            "Opens many connections to any NFS server, and uses a separate file over each.",
            "Each writes, commits, reads and checks its file, one call at a time, and compares all results. "
                    + "Progress goes to standard error, the result to standard output.",
            "Exit status: 0 if every connection was served without an error, else 1; 2 for a wrong command line."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class CrowdCommand implements Callable<Integer> {
    private static final int PAGE_BYTES = 4096;
    private static final int BLOCKS = 16;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--target",
            required = true,
            split = ",",
            paramLabel = "HOST",
            description = "The server. If repeated, for several addresses of one server, connections use them in turn.")
    private List<String> targets = List.of();

    @Mixin
    private NfsClientOptions client = new NfsClientOptions();

    @Option(names = "--connections", paramLabel = "N", description = "Default: 1000.")
    private int connections = 1000;

    @Option(
            names = "--opening",
            paramLabel = "N",
            description = "Connections that are being opened at the same time. Default: 32.")
    private int opening = 32;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            description = "Bytes of each READ and WRITE; a file has 16 times this size. Default: 8k.")
    private String size = "8k";

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long to run after all connections are open. Default: 60.")
    private int seconds = 60;

    @Option(
            names = "--pause",
            paramLabel = "MILLISECONDS",
            description = "Pause between two calls of a connection. Default: 0.")
    private int pauseMillis;

    @Option(names = "--timeout", paramLabel = "SECONDS", description = "Timeout of each call. Default: 60.")
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
        int sizeBytes = (int) OptionRange.sizeWithin("--size", size, PAGE_BYTES, 1 << 20);
        if (sizeBytes % PAGE_BYTES != 0) {
            throw new ConfigException("--size " + size + ": not a multiple of 4k");
        }
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String target : targets) {
            servers.add(new InetSocketAddress(HostAddress.of("--target " + target, target), client.nfsPort()));
        }
        return new CrowdOptions(
                servers,
                new InetSocketAddress(servers.getFirst().getAddress(), client.mountPort()),
                client.protocol(),
                client.version(),
                client.export(),
                OptionRange.within("--connections", connections, 1, 20_000),
                OptionRange.within("--opening", opening, 1, 1000),
                sizeBytes,
                BLOCKS,
                Duration.ofSeconds(OptionRange.within("--seconds", seconds, 1, 86_400)),
                Duration.ofMillis(OptionRange.within("--pause", pauseMillis, 0, 60_000)),
                client.clientThreads(),
                Duration.ofSeconds(OptionRange.within("--timeout", timeoutSeconds, 1, 3600)),
                NfsClientOptions.caller("warpnfs-crowd", null, null));
    }
}
