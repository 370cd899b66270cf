package org.warpnfs.server.admin;

import java.util.Set;
import java.util.function.Function;
import org.warpnfs.nfs.v4.Nfs4Administration;
import org.warpnfs.nfs.v4.state.listing.StatePage;
import org.warpnfs.nfs.v4.state.listing.StateQuery;

/** The routes of NFSv4 state; each returns a page of a table. */
final class StateRoutes {
    private static final Set<String> OF_ALL = Set.of("limit", "after");
    private static final Set<String> OF_CLIENT = Set.of("limit", "after", "client");

    private final Nfs4Administration nfs4;

    StateRoutes(Nfs4Administration nfs4) {
        this.nfs4 = nfs4;
    }

    void addTo(AdminRoutes routes) {
        add(routes, "/v1/clients", OF_ALL, nfs4::clients);
        add(routes, "/v1/sessions", OF_CLIENT, nfs4::sessions);
        add(routes, "/v1/opens", OF_CLIENT, nfs4::opens);
        add(routes, "/v1/locks", OF_CLIENT, nfs4::locks);
        add(routes, "/v1/delegations", OF_CLIENT, nfs4::delegations);
        add(routes, "/v1/layouts", OF_CLIENT, nfs4::layouts);
    }

    private static void add(
            AdminRoutes routes, String path, Set<String> parameters, Function<StateQuery, StatePage<?>> table) {
        routes.get(path, request -> {
            request.requireOnly(parameters);
            return table.apply(Paging.of(request));
        });
    }
}
