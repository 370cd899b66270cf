package org.warpnfs.server.log;

import java.util.regex.Pattern;

/** Makes text safe for the log: names that clients choose cannot control a terminal or forge a line. */
final class Printable {
    /**
     * Control characters, line separators, characters that change the writing direction, and code points without a
     * character.
     */
    private static final Pattern UNFIT =
            Pattern.compile("[\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e"
                    + "\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb\\p{Cs}]");

    private Printable() {}

    static String of(String text) {
        return UNFIT.matcher(text).replaceAll("?");
    }

    /** Makes a JSON text of one line safe. Its control characters are inside strings and become escapes. */
    static String json(String text) {
        return UNFIT.matcher(text)
                .replaceAll(
                        found -> String.format("\\\\u%04x", (int) found.group().charAt(0)));
    }
}
