package org.warpnfs.server.log;

import java.util.regex.Pattern;

/**
 * Text as it may stand in a log: what a client named a file or itself moves no cursor, and begins no line that looks
 * like another.
 */
final class Printable {
    /**
     * Control characters, what breaks a line elsewhere, what turns the direction of writing, what stands for no
     * character.
     */
    private static final Pattern UNFIT =
            Pattern.compile("[\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e"
                    + "\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb\\p{Cs}]");

    private Printable() {}

    static String of(String text) {
        return UNFIT.matcher(text).replaceAll("?");
    }

    /** The same of a JSON text of one line, whose control characters stand in strings and can be written as escapes. */
    static String json(String text) {
        return UNFIT.matcher(text)
                .replaceAll(
                        found -> String.format("\\\\u%04x", (int) found.group().charAt(0)));
    }
}
