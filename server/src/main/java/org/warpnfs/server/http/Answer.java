package org.warpnfs.server.http;

import java.nio.charset.StandardCharsets;

/**
 * An answer.
 *
 * @param status 200, or 503 if something is not well
 * @param text the body, at most a few hundred KiB
 */
public record Answer(int status, String contentType, String text) {
    private static final int GOOD = 200;
    private static final int UNAVAILABLE = 503;

    /** Returns an answer with status 200. */
    public static Answer of(String contentType, String text) {
        return new Answer(GOOD, contentType, text);
    }

    /** Returns an answer of one line of text. */
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
