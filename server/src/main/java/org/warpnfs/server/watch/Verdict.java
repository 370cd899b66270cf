package org.warpnfs.server.watch;

/**
 * The result of a health check.
 *
 * @param reason one line of text
 */
record Verdict(boolean good, String reason) {
    static Verdict good(String reason) {
        return new Verdict(true, reason);
    }

    static Verdict bad(String reason) {
        return new Verdict(false, reason);
    }
}
