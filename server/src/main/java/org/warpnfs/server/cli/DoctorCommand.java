package org.warpnfs.server.cli;

import com.google.common.net.HostAndPort;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PathText;
import org.warpnfs.server.doctor.ClientChecks;
import org.warpnfs.server.doctor.Finding;
import org.warpnfs.server.doctor.LinuxHost;
import org.warpnfs.server.doctor.NfsReach;
import org.warpnfs.server.doctor.PathChecks;
import org.warpnfs.server.doctor.PluginChecks;
import org.warpnfs.server.doctor.ServerChecks;
import org.warpnfs.server.doctor.ServerChecks.Ports;
import org.warpnfs.server.settings.JsonText;
import org.warpnfs.server.settings.Mistakes;
import org.warpnfs.server.settings.Resolved;
import org.warpnfs.server.settings.Setting;
import org.warpnfs.server.settings.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code warpnfs doctor}: checks this host as a server or a client, and prints how to fix problems. Exit status 1 if
 * something does not work.
 */
@Command(
        name = "doctor",
        description = {
            "Checks this host as a server or as a client, and the connection to a server.",
            "For each problem it prints a command that fixes it. Changes nothing. "
                    + "Exit status 1 if something cannot work, else 0."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class DoctorCommand implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The role of a host. */
    enum Role {
        SERVER,
        CLIENT
    }

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "server|client",
            description = "The role of this host. Default: client with --server, else server.")
    private @Nullable Role role;

    @Option(
            names = "--server",
            paramLabel = "HOST[:PORT]",
            description = "Also test the connection to this server and its RDMA port. Default of the port: 20049.")
    private @Nullable String server;

    @Option(
            names = "--rdma-port",
            paramLabel = "PORT|off",
            description = "The server's port for RDMA. Default: that of --server, of --config, or 20049.")
    private @Nullable String rdmaPort;

    @Option(
            names = "--tcp-port",
            paramLabel = "PORT|off",
            description = "The server's port for TCP. Default: that of --config, or 2049.")
    private @Nullable String tcpPort;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The settings of a server on this host, for its ports. Default: WARPNFS_CONFIG.")
    private @Nullable Path config;

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "The state directory of a server on this host. Default: that of serve.")
    private @Nullable Path state;

    @Option(
            names = "--plugins",
            paramLabel = "DIR",
            description =
                    "Also load the plug-ins of this directory, and list their backends. Default: " + "WARPNFS_PLUGINS.")
    private @Nullable Path plugins;

    @Option(names = "--json", description = "Print the findings as JSON.")
    private boolean json;

    @Override
    public Integer call() throws ConfigException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        List<Finding> findings = findings();
        if (json) {
            out.print(JsonText.of(Map.of(
                    "findings", findings.stream().map(DoctorCommand::members).toList())));
        } else {
            findings.forEach(finding -> print(out, finding));
        }
        out.flush();
        return findings.stream().anyMatch(finding -> finding.level() == Finding.Level.FAIL) ? Main.FAILURE : 0;
    }

    private List<Finding> findings() throws ConfigException {
        LinuxHost host = new LinuxHost();
        NfsReach reach = server == null ? null : reach(server);
        Role wanted = role == null ? server == null ? Role.SERVER : Role.CLIENT : role;
        List<Finding> findings = new ArrayList<>(
                switch (wanted) {
                    case SERVER ->
                        ServerChecks.of(host, state == null ? StateHome.ofServer(System.getenv()) : state, ports());
                    case CLIENT -> ClientChecks.of(host, reached(Settings.RDMA_PORT, rdmaPort) != Ports.OFF);
                });
        if (wanted == Role.SERVER) {
            findings.addAll(PluginChecks.of(plugins()));
        }
        if (reach != null) {
            findings.addAll(PathChecks.of(reach));
        }
        return findings;
    }

    private @Nullable Path plugins() throws ConfigException {
        String said = System.getenv(Settings.PLUGINS.variable());
        return plugins != null || said == null || said.isBlank()
                ? plugins
                : PathText.of(Settings.PLUGINS.variable(), said);
    }

    /** The ports of a server on this host, by its settings. What else is wrong with these is told by {@code check}. */
    private Ports ports() throws ConfigException {
        Resolved settings = Resolved.of(Map.of(), System.getenv(), config, new Mistakes());
        InetSocketAddress http = HttpAddress.parse(settings.at(Settings.HTTP), settings.get(Settings.HTTP));
        return new Ports(
                port(Settings.RDMA_PORT, rdmaPort, settings.get(Settings.RDMA_PORT)),
                port(Settings.TCP_PORT, tcpPort, settings.get(Settings.TCP_PORT)),
                http == null ? Ports.OFF : http.getPort());
    }

    private static int port(Setting<Long> setting, @Nullable String said, long otherwise) throws ConfigException {
        return Math.toIntExact(
                said == null ? otherwise : setting.kind().read(String.valueOf(setting.flag()), List.of(said)));
    }

    /** The port of a server that is to be reached. */
    private static int reached(Setting<Long> setting, @Nullable String said) throws ConfigException {
        int port = port(setting, said, setting.standard());
        if (port == 0) {
            throw new ConfigException(setting.flag() + " 0: is not a port to connect to");
        }
        return port;
    }

    private NfsReach reach(String text) throws ConfigException {
        int rdma = reached(Settings.RDMA_PORT, rdmaPort);
        int tcp = reached(Settings.TCP_PORT, tcpPort);
        try {
            HostAndPort address = HostAndPort.fromString(text).withDefaultPort(Math.max(rdma, 1));
            if (address.getPort() == 0) {
                throw new ConfigException("--server " + text + ": 0 is not a port to connect to");
            }
            return new NfsReach(
                    address.getHost(),
                    HostAddress.of("--server " + text, address.getHost()),
                    rdma == Ports.OFF ? Ports.OFF : address.getPort(),
                    tcp,
                    TIMEOUT);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--server " + text + ": is not HOST or HOST:PORT", e);
        }
    }

    private static String level(Finding finding) {
        return finding.level().name().toLowerCase(Locale.ROOT);
    }

    private static void print(PrintWriter out, Finding finding) {
        out.println(String.format(Locale.ROOT, "%-4s  %-12s  %s", level(finding), finding.subject(), finding.says()));
        if (!finding.remedy().isEmpty()) {
            out.println(" ".repeat(20) + "-> " + finding.remedy());
        }
    }

    private static Map<String, Object> members(Finding finding) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("level", level(finding));
        members.put("subject", finding.subject());
        members.put("says", finding.says());
        members.put("remedy", finding.remedy());
        return members;
    }
}
