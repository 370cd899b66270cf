package org.warpnfs.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.NullCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.doctor.NfsReach;
import org.warpnfs.server.doctor.ServerReach;
import org.warpnfs.server.log.LogLines;
import org.warpnfs.server.settings.Settings;
import org.warpnfs.server.systemd.ServiceManager;
import org.warpnfs.server.systemd.Watchdog;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code warpnfs serve}: serves until it is told to stop by SIGTERM or SIGINT. */
@Command(
        name = "serve",
        description = "Serves directories over NFS, over RDMA and TCP.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        modelTransformer = SettingOptions.class,
        sortOptions = false)
final class ServeCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        CommandSpec command = Objects.requireNonNull(spec);
        LogLines.takeStandardError();
        ServiceManager manager =
                ServiceManager.of(System.getenv(), ProcessHandle.current().pid());
        Configured configured = Configured.of(command.commandLine().getParseResult(), System.getenv());
        ServerConfig config = configured.server();
        LogLines.use(configured.settings().get(Settings.LOG_FORMAT));
        Thread.setDefaultUncaughtExceptionHandler(ServeCommand::logDefect);
        WatchedServer watched = WatchedServer.start(
                config,
                configured.limits(),
                configured.settings().at(Settings.HTTP),
                configured.httpAsSaid(),
                RpcbindChoices.of(configured.settings()),
                Listeners.of(configured.settings()));
        WarpServer server = watched.server();
        ExportsReload reload = new ExportsReload(server, configured::readAgain);
        AdminSocket socket = AdminSocket.start(
                configured.settings().at(Settings.ADMIN),
                configured.adminAsSaid(),
                config.stateDirectory(),
                watched,
                reload);
        if (configured.canBeReadAgain()) {
            Signals.on("HUP", () -> {
                manager.reloading();
                reload.run();
                manager.ready("files read again at " + now());
            });
            if (configured.settings().get(Settings.WATCH_EXPORTS)) {
                reload.watch();
            }
        } else {
            // Without a handler SIGHUP would end the server.
            Signals.on(
                    "HUP",
                    () -> LOG.info(
                            "SIGHUP: without --exports, --id-map or --tls-certificate there is nothing to read again"));
        }
        Watchdog watchdog = Watchdog.start(manager, within -> {
            // A drained server answers no calls, but is well.
            if (!server.isDraining()) {
                ask(server, within);
            }
        });
        CountDownLatch stopped = new CountDownLatch(1);
        Thread stopping = new Thread(
                () -> {
                    watchdog.close();
                    manager.stopping();
                    stop(watched, socket, stopped);
                },
                "warpnfs-stop");
        Runtime.getRuntime().addShutdownHook(stopping);
        // Before the lines below: whoever should read them may not.
        manager.ready("serves since " + now());
        PrintWriter out = command.commandLine().getOut();
        out.println("warpnfs " + Version.number());
        server.describe().forEach(out::println);
        watched.describe().forEach(out::println);
        socket.describe().ifPresent(out::println);
        out.println("ready");
        out.flush();
        stopped.await();
        return 0;
    }

    /** Calls NULL over TCP or, where that is off, over RDMA. */
    private static void ask(WarpServer server, Duration within) throws IOException {
        InetSocketAddress tcp = server.tcpAddress();
        InetSocketAddress rdma = server.rdmaAddress();
        if (tcp != null) {
            NullCall.ask(tcp, within);
        } else if (rdma != null) {
            InetAddress host =
                    rdma.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : rdma.getAddress();
            var _ = new NfsReach("watchdog", host, rdma.getPort(), 0, within).callNull(ServerReach.Transport.RDMA);
        }
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS);
    }

    /** Runs as the virtual machine's shutdown hook, so that a stop ends cleanly with exit status 0. */
    private static void stop(WatchedServer server, AdminSocket admin, CountDownLatch stopped) {
        int status = Main.FAILURE;
        try {
            server.close();
            status = 0;
        } finally {
            admin.close();
            stopped.countDown();
            LogLines.finish();
            Runtime.getRuntime().halt(status);
        }
    }

    /** For what no call and no connection hears of, for example a grant of memory that fails on another's thread. */
    static void logDefect(Thread thread, Throwable defect) {
        LOG.error("{}: a defect of this server", thread.getName(), defect);
    }
}
