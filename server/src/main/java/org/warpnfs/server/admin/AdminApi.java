package org.warpnfs.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;

/** The list of requests, from {@code openapi.json}. */
final class AdminApi {
    private AdminApi() {}

    static AdminRoutes routes(Administered administered) {
        AdminRoutes routes = new AdminRoutes();
        JsonNode description = description();
        routes.get("/openapi.json", request -> {
            request.requireOnly(Set.of());
            return description;
        });
        new StatusRoutes(administered).addTo(routes);
        new StateRoutes(administered.server().nfs4()).addTo(routes);
        new LogRoutes().addTo(routes);
        new ActionRoutes(administered).addTo(routes);
        return routes;
    }

    /** Returns the OpenAPI 3.1 document. */
    static JsonNode description() {
        try (InputStream in = AdminApi.class.getResourceAsStream("openapi.json")) {
            if (in == null) {
                throw new IllegalStateException("openapi.json is not in the jar");
            }
            return AdminAnswer.MAPPER.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
