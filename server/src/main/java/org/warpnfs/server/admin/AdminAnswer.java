package org.warpnfs.server.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What a request is answered with.
 *
 * @param status of HTTP
 * @param json the body
 */
record AdminAnswer(int status, String json) {
    /** What says one thing twice, or goes on behind its end, is no order that anybody should follow. */
    static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    static final int OK = 200;

    /** @param value records, maps, lists, texts and numbers */
    static AdminAnswer of(Object value) {
        return of(OK, value);
    }

    /** One line for people. */
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
