package org.warpnfs.server.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The answer to a request.
 *
 * @param status the HTTP status
 * @param json the body
 */
record AdminAnswer(int status, String json) {
    /** Rejects duplicate members and text after the end: such requests are ambiguous. */
    static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    static final int OK = 200;

    /** @param value a record, map, list, text or number */
    static AdminAnswer of(Object value) {
        return of(OK, value);
    }

    /** Returns an error with a reason of one line. */
    static AdminAnswer error(int status, String reason) {
        return of(status, Map.of("error", reason));
    }

    private static AdminAnswer of(int status, Object value) {
        try {
            return new AdminAnswer(status, MAPPER.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer that is no JSON", e);
        }
    }

    byte[] bytes() {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
