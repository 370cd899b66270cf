package org.warpnfs.server.admin;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.server.Description;
import org.warpnfs.server.WarpServer;

/** The routes of the server's status, connections, exports and activity. */
final class StatusRoutes {
    private final Administered administered;
    private final WarpServer server;

    StatusRoutes(Administered administered) {
        this.administered = administered;
        this.server = administered.server();
    }

    void addTo(AdminRoutes routes) {
        routes.get("/v1/status", this::status);
        routes.get("/v1/connections", this::connections);
        routes.get("/v1/exports", this::exports);
        routes.get("/v1/activity", request -> {
            request.requireOnly(Set.of());
            return Activity.of(administered);
        });
    }

    private Object status(AdminRequest request) throws AdminException {
        request.requireOnly(Set.of());
        Map<String, Object> status = new LinkedHashMap<>(administered.watch().summary());
        status.put("grace", server.isGraceRunning());
        status.put("draining", server.isDraining());
        status.put("drained", server.isDrained());
        status.put("rdma", port(server.rdmaAddress()));
        status.put("tcp", port(server.tcpAddress()));
        return status;
    }

    private static @Nullable Integer port(@Nullable InetSocketAddress address) {
        return address == null ? null : address.getPort();
    }

    /** A page of connections. */
    private record Connections(
            List<ConnectionRow> rows, @Nullable String next) {}

    private Object connections(AdminRequest request) throws AdminException {
        request.requireOnly(Set.of("limit", "after"));
        int limit = Paging.limit(request);
        String after = request.parameter("after");
        List<ConnectionRow> rows = new ArrayList<>();
        server.connections().forEach((transport, open) -> {
            for (var connection : open) {
                rows.add(ConnectionRow.of(transport, connection));
            }
        });
        List<ConnectionRow> behind = rows.stream()
                .filter(row -> after == null || row.id().compareTo(after) > 0)
                .sorted(Comparator.comparing(ConnectionRow::id))
                .limit(limit + 1L)
                .toList();
        return behind.size() <= limit
                ? new Connections(behind, null)
                : new Connections(
                        behind.subList(0, limit), behind.get(limit - 1).id());
    }

    /**
     * An export.
     *
     * @param path its path for clients
     * @param source the directory that it serves
     * @param clients its clients and their options, in the syntax of exports(5)
     */
    private record ExportRow(String path, String source, String clients) {}

    private Object exports(AdminRequest request) throws AdminException {
        request.requireOnly(Set.of());
        List<ExportRow> rows = new ArrayList<>();
        for (Export export : server.exports()) {
            rows.add(new ExportRow(export.path().toString(), export.source(), Description.policy(export.policy())));
        }
        return Map.of("rows", rows);
    }
}
