package org.warpnfs.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is asked.
 *
 * @param query by name
 * @param body a JSON object, an empty one if none was sent
 */
record AdminRequest(Map<String, String> query, JsonNode body) {
    /** @throws AdminException if it says something that is not among these */
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
                    "unknown parameter; there are "
                            + (known.isEmpty()
                                    ? "none"
                                    : String.join(", ", known.stream().sorted().toList())));
        }
    }

    /** A parameter of the query; null if it is not there. */
    @Nullable
    String parameter(String name) {
        return query.get(name);
    }

    /** A text of the body; null if it is not there. */
    @Nullable
    String text(String name) throws AdminException {
        JsonNode value = body.get(name);
        if (value == null || value.isNull()) {
            return null;
        }
        if (!value.isTextual()) {
            throw new AdminException(AdminException.BAD_REQUEST, name + " has to be a text");
        }
        return value.textValue();
    }

    /** A text of the body that has to be there. */
    String requiredText(String name) throws AdminException {
        String value = text(name);
        if (value == null) {
            throw new AdminException(AdminException.BAD_REQUEST, name + " is missing");
        }
        return value;
    }
}
