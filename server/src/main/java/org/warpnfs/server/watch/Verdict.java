package org.warpnfs.server.watch;

/**
 * Whether something is well.
 *
 * @param reason one line for people
 */
record Verdict(boolean good, String reason) {
    static Verdict good(String reason) {
        return new Verdict(true, reason);
    }

    static Verdict bad(String reason) {
        return new Verdict(false, reason);
    }
}
