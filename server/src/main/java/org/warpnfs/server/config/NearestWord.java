package org.warpnfs.server.config;

import java.util.Collection;
import java.util.Optional;

/** Guesses the intended word for an unknown one. */
public final class NearestWord {
    private NearestWord() {}

    /**
     * Returns the end of a message: the nearest known word, if one is near, else all known words.
     *
     * @param known the known words; a {@code =} and the text after it are not compared
     */
    public static String hint(String word, Collection<String> known) {
        return nearest(word, known)
                .map(near -> "; did you mean '" + near + "'?")
                .orElseGet(() -> "; the known ones are " + String.join(", ", known));
    }

    /** Returns the nearest known word, if one is near. */
    public static Optional<String> nearest(String word, Collection<String> known) {
        String nearest = null;
        int least = Math.max(1, word.length() / 3) + 1;
        for (String candidate : known) {
            int equals = candidate.indexOf('=');
            int distance = distance(word, equals < 0 ? candidate : candidate.substring(0, equals));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return Optional.ofNullable(nearest);
    }

    /** Returns the Levenshtein distance. */
    private static int distance(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] row = new int[to.length() + 1];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int change = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(above[j], row[j - 1]) + 1);
            }
            above = row;
        }
        return above[to.length()];
    }
}
