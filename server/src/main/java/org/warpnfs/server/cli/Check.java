package org.warpnfs.server.cli;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.server.ExportTransports;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.PathText;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.plugins.Plugins;
import org.warpnfs.server.settings.Mistakes;
import org.warpnfs.server.settings.Setting;
import org.warpnfs.server.settings.Settings;

/**
 * Finds everything that would prevent a start, without starting anything: it takes no port, creates no directory and
 * opens no file system.
 *
 * @param configured the configuration of {@code serve}
 * @param exports the exports that it would serve
 * @param limits the limits that fit the process, in one line; empty if there are mistakes
 * @param warning what an administrator should know of the exports, in one line; empty if there is nothing
 * @param mistakes the mistakes; empty if the server would start
 */
record Check(Configured configured, List<ExportSpec> exports, String limits, String warning, List<String> mistakes) {
    static Check of(Configured configured, Mistakes mistakes) {
        List<ExportSpec> exports = mistakes.tried(List.of(), configured::exports);
        exports(exports, BackendChoice.of(configured.settings()), mistakes);
        state(configured, mistakes);
        mistakes.tried(false, () -> admin(configured));
        mistakes.tried(RpcbindChoices.OFF, () -> RpcbindChoices.of(configured.settings()));
        Optional<ServerConfig> server = mistakes.tried(Optional.empty(), () -> Optional.of(configured.server()));
        server.ifPresent(config -> mistakes.tried(false, () -> {
            Plugins.check(config);
            return true;
        }));
        Optional<InetSocketAddress> http =
                mistakes.tried(Optional.empty(), () -> Optional.ofNullable(configured.http()));
        var _ = mistakes.tried(Optional.empty(), () -> Optional.ofNullable(Listeners.receiver(configured.settings())));
        if (server.isPresent() && http.isPresent()) {
            port(configured, Settings.RDMA_PORT, server.get().rdmaAddress(), http.get(), mistakes);
            port(configured, Settings.TCP_PORT, server.get().tcpAddress(), http.get(), mistakes);
        }
        String warning = "";
        if (server.isPresent()) {
            Map<String, ExportPolicy> policies = new LinkedHashMap<>();
            for (ExportSpec export : exports) {
                String path = String.valueOf(export.pseudoPath());
                policies.put(path, export.policy());
                var _ = mistakes.tried(false, () -> {
                    ExportTransports.requireReachable(server.get(), path, export.policy());
                    return true;
                });
            }
            warning = ExportTransports.warning(server.get(), policies).orElse("");
        }
        String limits = "";
        if (server.isPresent() && mistakes.all().isEmpty()) {
            limits = mistakes.tried(
                    "", () -> WarpServer.plan(server.get(), configured.limits()).line());
        }
        return new Check(configured, exports, limits, warning, mistakes.all());
    }

    private static void exports(List<ExportSpec> exports, Backend backend, Mistakes mistakes) {
        Map<PseudoPath, ExportSpec> byPath = new HashMap<>();
        Map<String, ExportSpec> byFsid = new HashMap<>();
        for (ExportSpec export : exports) {
            if (backend == Backend.LOCAL) {
                directory(export, mistakes);
            }
            mistakes.tried(false, () -> {
                export.requireIdentityOf(backend);
                return true;
            });
            PseudoPath path = export.pseudoPath();
            ExportSpec same = path == null ? null : byPath.putIfAbsent(path, export);
            if (same != null) {
                mistakes.add(export.place() + ": " + path + " is already the path of an export (" + same.place() + ")");
            }
            String fsid = export.traits().fsid();
            ExportSpec sameFsid = fsid == null ? null : byFsid.putIfAbsent(fsid, export);
            if (sameFsid != null) {
                mistakes.add(export.place() + ": fsid=" + fsid + " is already used by " + sameFsid.place());
            }
        }
    }

    private static void directory(ExportSpec export, Mistakes mistakes) {
        Path directory = export.directory();
        // The default export is created if it is missing. An export whose required mount is missing is not served,
        // which is not a mistake.
        if (directory == null || directory.equals(ServerConfig.DEFAULT_EXPORT) || export.requiredMount() != null) {
            return;
        }
        if (!Files.exists(directory)) {
            mistakes.add(export.place() + ": " + directory + ": there is no such directory");
        } else if (!Files.isDirectory(directory)) {
            mistakes.add(export.place() + ": " + directory + ": is not a directory");
        }
    }

    private static void state(Configured configured, Mistakes mistakes) {
        Path state = mistakes.tried(Optional.<Path>empty(), () -> Optional.ofNullable(configured.state()))
                .orElse(null);
        if (state != null && Files.exists(state) && !Files.isDirectory(state)) {
            mistakes.add(configured.settings().at(Settings.STATE) + ": " + state + ": is not a directory");
        } else if (state != null
                && BackendChoice.of(configured.settings()) != Backend.MEMORY
                && Files.isDirectory(state)
                && !Files.isWritable(state)) {
            mistakes.add(configured.settings().at(Settings.STATE) + ": " + state + ": cannot be written");
        }
    }

    /**
     * Checks that the directory of the socket, if it exists, is fit for it. The server creates the one within the state
     * directory.
     */
    private static boolean admin(Configured configured) throws ConfigException {
        String said = configured.adminAsSaid();
        if (said == null || said.equals("off")) {
            return true;
        }
        String told = configured.settings().at(Settings.ADMIN);
        Path socket = PathText.of(told, said).toAbsolutePath().normalize();
        Path directory = socket.getParent();
        if (directory == null || Files.isDirectory(socket)) {
            throw new ConfigException(told + " " + said + ": is a directory; name the path of the socket");
        }
        Path state = configured.state();
        boolean isMade =
                state != null && directory.startsWith(state.toAbsolutePath().normalize());
        if (!isMade && !Files.isDirectory(directory)) {
            throw new ConfigException(told + " " + said + ": there is no directory " + directory);
        }
        return true;
    }

    private static void port(
            Configured configured,
            Setting<Long> setting,
            @Nullable InetSocketAddress nfs,
            InetSocketAddress http,
            Mistakes mistakes) {
        if (nfs != null
                && nfs.getPort() != 0
                && nfs.getPort() == http.getPort()
                && overlap(nfs.getAddress(), http.getAddress())) {
            mistakes.add(configured.settings().told(setting) + " and "
                    + configured.settings().told(Settings.HTTP) + " are the same port");
        }
    }

    private static boolean overlap(InetAddress one, InetAddress other) {
        return one.isAnyLocalAddress() || other.isAnyLocalAddress() || one.equals(other);
    }
}
