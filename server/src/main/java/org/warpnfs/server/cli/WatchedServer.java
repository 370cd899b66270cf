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

/** The server of this process, what answers HTTP for it, and how it is found by program number. */
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
     * Starts all. HTTP answers first, so that a probe hears that the server starts; clients find it last.
     *
     * @param http what {@code --http} says; null if it says nothing: then another server may have the usual port, and
     *     this one does without
     * @throws ConfigException with one line that says what is in the way
     */
    static WatchedServer start(ServerConfig config, @Nullable String http) throws ConfigException {
        return start(config, ServerLimits.DEFAULT, "--http", http, RpcbindChoices.OFF, Listeners.NONE);
    }

    /**
     * The same with other limits, and found by program number.
     *
     * @param chosenBy how messages name who chose where HTTP is answered
     * @param listeners who else hears of calls; closed with this, also if nothing starts
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
                        "{} is taken ({}): no metrics, no health, no status page; --http chooses another",
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

    /** How it is found, and where it answers HTTP, for people: a line each. */
    List<String> describe() {
        List<String> lines = new ArrayList<>();
        rpcbind.describe().ifPresent(words -> lines.add("rpcbind " + words));
        if (watch.answers()) {
            lines.add("http    " + watch.address().getAddress().getHostAddress() + ":"
                    + watch.address().getPort() + "  status page, /metrics, /healthz, /readyz");
        }
        return lines;
    }

    /** No new clients find it first; HTTP answers to the end, to say that the server drains. */
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
