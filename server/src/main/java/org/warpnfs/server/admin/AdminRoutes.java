package org.warpnfs.server.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.config.ConfigException;

/** Maps requests to actions. Immutable and safe for any thread; a request runs on the calling thread. */
final class AdminRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(AdminRoutes.class);

    private final Map<String, Map<String, Action>> actions = new LinkedHashMap<>();

    /** The action of a route; it returns a record, map, list, text or number. */
    @FunctionalInterface
    interface Action {
        Object run(AdminRequest request) throws AdminException, ConfigException;
    }

    AdminRoutes get(String path, Action action) {
        return add("GET", path, action);
    }

    AdminRoutes post(String path, Action action) {
        return add("POST", path, action);
    }

    AdminRoutes put(String path, Action action) {
        return add("PUT", path, action);
    }

    private AdminRoutes add(String method, String path, Action action) {
        actions.computeIfAbsent(path, _ -> new TreeMap<>()).put(method, action);
        return this;
    }

    /** Returns the methods of each path. */
    Map<String, Map<String, Action>> all() {
        return actions;
    }

    /**
     * Executes a request. Errors are returned as answers.
     *
     * @param query the parameters by name
     * @param body JSON, or empty
     */
    AdminAnswer answer(String method, String path, Map<String, String> query, String body) {
        Map<String, Action> here = actions.get(path);
        if (here == null) {
            return AdminAnswer.error(404, "no such path; /openapi.json has what there is");
        }
        Action action = here.get(method);
        if (action == null) {
            return AdminAnswer.error(405, path + " knows " + String.join(", ", here.keySet()) + " only");
        }
        try {
            return AdminAnswer.of(action.run(new AdminRequest(query, parsed(body))));
        } catch (AdminException e) {
            return AdminAnswer.error(e.status(), String.valueOf(e.getMessage()));
        } catch (ConfigException e) {
            return AdminAnswer.error(AdminException.CONFLICT, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return AdminAnswer.error(AdminException.BAD_REQUEST, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.error("{} {} failed because of a bug of the server", method, path, e);
            return AdminAnswer.error(500, "failed because of a bug of the server; the log has details");
        }
    }

    private static JsonNode parsed(String body) throws AdminException {
        if (body.isBlank()) {
            return AdminAnswer.MAPPER.createObjectNode();
        }
        try {
            JsonNode node = AdminAnswer.MAPPER.readTree(body);
            if (node.isObject()) {
                return node;
            }
        } catch (JsonProcessingException e) {
            // Said below.
        }
        throw new AdminException(AdminException.BAD_REQUEST, "the body is not a JSON object");
    }
}
