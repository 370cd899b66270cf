package org.warpnfs.nfs.v4.state.listing;

import org.jspecify.annotations.Nullable;

/**
 * Which rows are wanted.
 *
 * @param client of that client alone, or of all
 * @param after the rows behind that place, which an earlier page named; from the beginning if null
 * @param limit of rows, from 1 to {@value #MAX_LIMIT}
 */
public record StateQuery(@Nullable String client, @Nullable String after, int limit) {
    /** Rows of one answer at most. */
    public static final int MAX_LIMIT = 1000;

    private static final int DIGITS = 16;

    /** @throws IllegalArgumentException with one line that says which of them is wrong */
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

    /** Everything. */
    public static StateQuery first(int limit) {
        return new StateQuery(null, null, limit);
    }

    /** Where a page ended: by client, then by what it holds. */
    public record Place(long client, long number) {
        /**
         * The place that {@link #toString} has shown.
         *
         * @throws IllegalArgumentException with one line if that is none
         */
        public static Place of(String text) {
            int point = text.indexOf('.');
            if (point < 0) {
                throw new IllegalArgumentException("after: " + shown(text) + " is no place in a list");
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

    /** As ids are shown: sixteen hexadecimal digits. */
    public static String hex(long id) {
        return String.format("%016x", id);
    }

    /** What {@link #hex} has shown, also with fewer digits. */
    public static long parse(String name, String text) {
        try {
            if (text.length() <= DIGITS && !text.startsWith("+") && !text.startsWith("-")) {
                return Long.parseUnsignedLong(text, 16);
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(
                name + ": " + shown(text) + " is no id of at most " + DIGITS + " hexadecimal digits");
    }

    private static String shown(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }
}
