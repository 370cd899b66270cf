package org.warpnfs.server.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.server.rpcbind.Rpcbind;
import org.warpnfs.server.watch.Watch;

/** The server of this process with its HTTP service and its registration at portmappers. */
final class WatchedServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedServer.class);

    private final WarpServer server;
    private final Watch watch;
    private final Rpcbind rpcbind;
    private final Listeners listeners;

    private WatchedServer(WarpServer server, Watch watch, Rpcbind rpcbind, Listeners listeners) {
        this.server = server;
        this.watch = watch;
        this.rpcbind = rpcbind;
        this.listeners = listeners;
    }

    /**
     * Starts all of them. HTTP starts first, so that a probe learns that the server is starting; the registration is
     * last.
     *
     * @param http the value of {@code --http}; null for the default, without which the server starts if the port is
     *     taken
     * @throws ConfigException if the server cannot start; one line gives the reason
     */
    static WatchedServer start(ServerConfig config, @Nullable String http) throws ConfigException {
        return start(config, ServerLimits.DEFAULT, "--http", http, RpcbindChoices.OFF, Listeners.NONE);
    }

    /**
     * Starts all of them with these limits and registration.
     *
     * @param chosenBy the source of the address of HTTP, for messages
     * @param listeners other receivers of call events; closed with this object, also if the start fails
     */
    static WatchedServer start(
            ServerConfig config,
            ServerLimits limits,
            String chosenBy,
            @Nullable String http,
            RpcbindChoices rpcbind,
            Listeners listeners)
            throws ConfigException {
        Watch watch = watch(chosenBy, http);
        boolean started = false;
        WarpServer server = null;
        try {
            server = WarpServer.startAlone(config, limits, listeners.recorder(watch.recorder()));
            watch.serves(server);
            Rpcbind found = rpcbind.start(server);
            server.closeWhenDraining(found);
            WatchedServer watched = new WatchedServer(server, watch, found, listeners);
            started = true;
            return watched;
        } finally {
            if (!started) {
                listeners.close();
            }
            if (!started && server != null) {
                server.close();
            }
            if (!started) {
                watch.close();
            }
        }
    }

    private static Watch watch(String chosenBy, @Nullable String http) throws ConfigException {
        InetSocketAddress address = HttpAddress.parse(chosenBy, http == null ? HttpAddress.DEFAULT : http);
        if (address == null) {
            return Watch.unseen(Version.number());
        }
        try {
            return Watch.start(Version.number(), address);
        } catch (IOException e) {
            if (http == null) {
                LOG.warn(
                        "{} is in use ({}): metrics, health and status page are off; choose another address "
                                + "with --http",
                        HttpAddress.DEFAULT,
                        e.getMessage());
                return Watch.unseen(Version.number());
            }
            throw new ConfigException(chosenBy + " " + http + ": " + e.getMessage(), e);
        }
    }

    WarpServer server() {
        return server;
    }

    Watch watch() {
        return watch;
    }

    /** Returns lines of text about the registration and the address of HTTP. */
    List<String> describe() {
        List<String> lines = new ArrayList<>();
        rpcbind.describe().ifPresent(words -> lines.add("rpcbind " + words));
        if (watch.answers()) {
            lines.add("http    " + watch.address().getAddress().getHostAddress() + ":"
                    + watch.address().getPort() + "  status page, /metrics, /healthz, /readyz");
        }
        return lines;
    }

    /** Ends the registration first and HTTP last, so that HTTP reports the draining. */
    @Override
    public void close() {
        try {
            server.close();
        } finally {
            listeners.close();
            watch.close();
        }
    }
}
