package org.warpnfs.nfs.v4.state.listing;

import org.jspecify.annotations.Nullable;

/**
 * A query for rows.
 *
 * @param client id of the only client to list, or null for all
 * @param after the place, from an earlier page, after which to begin; null to begin at the start
 * @param limit of rows, from 1 to {@value #MAX_LIMIT}
 */
public record StateQuery(@Nullable String client, @Nullable String after, int limit) {
    /** Most rows of one answer. */
    public static final int MAX_LIMIT = 1000;

    private static final int DIGITS = 16;

    /** @throws IllegalArgumentException with one line that says which argument is wrong */
    public StateQuery {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit: " + limit + " is not within 1.." + MAX_LIMIT);
        }
        if (client != null) {
            parse("client", client);
        }
        if (after != null) {
            Place.of(after);
        }
    }

    /** A query for all rows. */
    public static StateQuery first(int limit) {
        return new StateQuery(null, null, limit);
    }

    /** The place where a page ended: a client, and the number of a state. */
    public record Place(long client, long number) {
        /**
         * Parses the text of {@link #toString}.
         *
         * @throws IllegalArgumentException with one line if it is not a place
         */
        public static Place of(String text) {
            int point = text.indexOf('.');
            if (point < 0) {
                throw new IllegalArgumentException("after: " + shown(text) + " is not a place in a list");
            }
            return new Place(
                    StateQuery.parse("after", text.substring(0, point)),
                    StateQuery.parse("after", text.substring(point + 1)));
        }

        @Override
        public String toString() {
            return hex(client) + "." + hex(number);
        }
    }

    /** The text of an id: sixteen hexadecimal digits. */
    public static String hex(long id) {
        return String.format("%016x", id);
    }

    /** Parses the text of {@link #hex}, which may have fewer digits. */
    public static long parse(String name, String text) {
        try {
            if (text.length() <= DIGITS && !text.startsWith("+") && !text.startsWith("-")) {
                return Long.parseUnsignedLong(text, 16);
            }
        } catch (NumberFormatException e) {
            // The exception is thrown below.
        }
        throw new IllegalArgumentException(
                name + ": " + shown(text) + " is not an id of at most " + DIGITS + " hexadecimal digits");
    }

    private static String shown(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }
}
