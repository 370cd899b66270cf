package org.warpnfs.server.config;

import java.util.Collection;
import java.util.Optional;

/** What somebody may have meant who wrote a word that nobody knows. */
public final class NearestWord {
    private NearestWord() {}

    /**
     * The end of a message: the known word that is nearest, if one is near, else all.
     *
     * @param known each perhaps with a {@code =} and what may stand behind it, which is not compared
     */
    public static String hint(String word, Collection<String> known) {
        return nearest(word, known)
                .map(near -> "; did you mean '" + near + "'?")
                .orElseGet(() -> "; known are " + String.join(", ", known));
    }

    /** The known word that is nearest, if one is near. */
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

    /** How many letters have to be added, taken away or changed (Levenshtein). */
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
