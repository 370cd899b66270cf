package org.warpnfs.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request.
 *
 * @param query the parameters by name
 * @param body a JSON object, an empty one if none was sent
 */
record AdminRequest(Map<String, String> query, JsonNode body) {
    /** @throws AdminException if the request has parameters or members other than {@code known} */
    void requireOnly(Set<String> known) throws AdminException {
        for (String name : query.keySet()) {
            require(known, name);
        }
        for (Map.Entry<String, JsonNode> property : body.properties()) {
            require(known, property.getKey());
        }
    }

    private static void require(Set<String> known, String name) throws AdminException {
        if (!known.contains(name)) {
            throw new AdminException(
                    AdminException.BAD_REQUEST,
                    "unknown parameter; the known ones are "
                            + (known.isEmpty()
                                    ? "none"
                                    : String.join(", ", known.stream().sorted().toList())));
        }
    }

    /** Returns a parameter of the query; null if it is absent. */
    @Nullable
    String parameter(String name) {
        return query.get(name);
    }

    /** Returns a text of the body; null if it is absent. */
    @Nullable
    String text(String name) throws AdminException {
        JsonNode value = body.get(name);
        if (value == null || value.isNull()) {
            return null;
        }
        if (!value.isTextual()) {
            throw new AdminException(AdminException.BAD_REQUEST, name + " must be a text");
        }
        return value.textValue();
    }

    /** Returns a required text of the body. */
    String requiredText(String name) throws AdminException {
        String value = text(name);
        if (value == null) {
            throw new AdminException(AdminException.BAD_REQUEST, name + " is missing");
        }
        return value;
    }
}
