package org.warpnfs.server.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.config.ConfigException;

/** Which request does what. Made once, then safe for any thread; a request runs on the thread that brings it. */
final class AdminRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(AdminRoutes.class);

    private final Map<String, Map<String, Action>> actions = new LinkedHashMap<>();

    /** What one route does: gives records, maps, lists, texts and numbers. */
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

    /** The methods of each path. */
    Map<String, Map<String, Action>> all() {
        return actions;
    }

    /**
     * Does what is asked. Whatever is wrong with it is an answer, too.
     *
     * @param query its parameters by name
     * @param body JSON, or nothing
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
            LOG.error("{} {} failed by a bug of the server", method, path, e);
            return AdminAnswer.error(500, "failed by a bug of the server; the log has more");
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
        throw new AdminException(AdminException.BAD_REQUEST, "the body is no JSON object");
    }
}
