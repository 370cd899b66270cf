package org.warpnfs.server.admin;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.state.StateAdministration.Evicted;
import org.warpnfs.nfs.v4.state.StateAdministration.Unlocked;
import org.warpnfs.nfs.v4.state.listing.StateRow.LockRow;
import org.warpnfs.rpcrdma.oncrpc.OpenConnection;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ConfigException;

/** The routes that change something. Each action is logged. */
final class ActionRoutes {
    /** The most rows of one report; the total number is always reported. */
    static final int MAX_REPORTED = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(ActionRoutes.class);

    private final Administered administered;
    private final WarpServer server;

    ActionRoutes(Administered administered) {
        this.administered = administered;
        this.server = administered.server();
    }

    void addTo(AdminRoutes routes) {
        routes.post("/v1/reload", this::reload);
        routes.post("/v1/evict", this::evict);
        routes.post("/v1/unlock", this::unlock);
        routes.post("/v1/grace/end", this::endGrace);
        routes.post("/v1/drain", this::drain);
    }

    private Object reload(AdminRequest request) throws AdminException, ConfigException {
        request.requireOnly(Set.of());
        return Map.of("changes", administered.reload().report());
    }

    /** What an evicted client held. */
    private record EvictedReport(
            String client,
            String owner,
            String address,
            int sessions,
            int opens,
            int locks,
            int delegations,
            int connections,
            boolean journaled) {}

    private Object evict(AdminRequest request) throws AdminException {
        request.requireOnly(Set.of("client"));
        Evicted evicted = server.nfs4().evict(request.requiredText("client"));
        if (evicted == null) {
            throw new AdminException(AdminException.NOT_FOUND, "there is no such client");
        }
        int connections = 0;
        for (List<OpenConnection> open : server.connections().values()) {
            for (OpenConnection connection : open) {
                if (isOf(evicted, connection)) {
                    connection.end("its client was evicted by an administrator");
                    connections++;
                }
            }
        }
        LOG.warn(
                "an administrator evicted client {} ({}, {}): {} opens, {} locks, {} delegations",
                evicted.client(),
                evicted.owner(),
                evicted.address(),
                evicted.opens(),
                evicted.locks(),
                evicted.delegations());
        return new EvictedReport(
                evicted.client(),
                evicted.owner(),
                evicted.address(),
                evicted.sessions(),
                evicted.opens(),
                evicted.locks(),
                evicted.delegations(),
                connections,
                evicted.journaled());
    }

    /**
     * Returns whether a connection belongs to the client. NFSv4.0 binds no connection to a client, so all connections
     * from its address count.
     */
    private static boolean isOf(Evicted evicted, OpenConnection connection) {
        return evicted.sessionless()
                ? connection.client().toString().equals(evicted.address())
                : evicted.connections().contains(connection);
    }

    private Object unlock(AdminRequest request) throws AdminException {
        request.requireOnly(Set.of("client", "file", "owner", "lock"));
        String client = request.text("client");
        String file = request.text("file");
        String owner = request.text("owner");
        String lock = request.text("lock");
        if (client == null && file == null && lock == null) {
            throw new AdminException(AdminException.BAD_REQUEST, "one of client, file and lock is required");
        }
        Unlocked taken = server.nfs4()
                .unlock(
                        client,
                        row -> (file == null || file.equals(row.path()) || file.equals(row.file()))
                                && isOrAny(owner, row.owner())
                                && isOrAny(lock, row.id()),
                        MAX_REPORTED);
        for (LockRow row : taken.first()) {
            LOG.warn(
                    "an administrator revoked {} locks of {} ({}) of {}",
                    row.rangeCount(),
                    row.owner(),
                    row.client(),
                    row.path() == null ? row.file() : row.path());
        }
        if (taken.count() > taken.first().size()) {
            LOG.warn("and the locks of {} others", taken.count() - taken.first().size());
        }
        return Map.of("rows", taken.first(), "count", taken.count());
    }

    private static boolean isOrAny(@Nullable String wanted, String value) {
        return wanted == null || wanted.equals(value);
    }

    private Object endGrace(AdminRequest request) throws AdminException {
        request.requireOnly(Set.of());
        int missing = server.nfs4().endGrace();
        return Map.of(
                "wasRunning", missing >= 0, "missingClients", Math.max(0, missing), "grace", server.isGraceRunning());
    }

    private Object drain(AdminRequest request) throws AdminException {
        request.requireOnly(Set.of());
        server.drain();
        return Map.of("draining", server.isDraining(), "drained", server.isDrained());
    }
}
