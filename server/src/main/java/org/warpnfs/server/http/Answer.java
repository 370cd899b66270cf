package org.warpnfs.server.http;

import java.nio.charset.StandardCharsets;

/**
 * What a question is answered with.
 *
 * @param status 200, or 503 for what is not well
 * @param text of at most a few hundred KiB
 */
public record Answer(int status, String contentType, String text) {
    private static final int GOOD = 200;
    private static final int UNAVAILABLE = 503;

    /** A page, a list, an object. */
    public static Answer of(String contentType, String text) {
        return new Answer(GOOD, contentType, text);
    }

    /** One line for people and probes. */
    public static Answer line(boolean good, String line) {
        return plain(good ? GOOD : UNAVAILABLE, line);
    }

    static Answer plain(int status, String line) {
        return new Answer(status, "text/plain; charset=utf-8", line + "\n");
    }

    byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
