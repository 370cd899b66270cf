package org.warpnfs.server.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.warpnfs.server.log.Levels;

/** The routes that read log levels, and change them until the server ends. */
final class LogRoutes {
    private static final Set<String> LOGGER = Set.of("logger");

    /** A logger and its effective level. */
    private record LoggerRow(String logger, String level) {}

    void addTo(AdminRoutes routes) {
        routes.get("/v1/loglevels", LogRoutes::list);
        routes.put("/v1/loglevels", LogRoutes::set);
    }

    private static Object list(AdminRequest request) throws AdminException {
        request.requireOnly(LOGGER);
        String logger = request.parameter("logger");
        List<LoggerRow> rows = new ArrayList<>();
        if (logger == null) {
            Levels.list().forEach((name, level) -> rows.add(new LoggerRow(name, level)));
        } else {
            rows.add(new LoggerRow(logger, Levels.get(logger)));
        }
        return Map.of("rows", rows);
    }

    private static Object set(AdminRequest request) throws AdminException {
        request.requireOnly(Set.of("logger", "level"));
        String logger = request.requiredText("logger");
        Levels.set(logger, request.requiredText("level"));
        return new LoggerRow(logger, Levels.get(logger));
    }
}
