package org.warpnfs.nfs.cluster;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.warpnfs.stable.SummedText;

/**
 * A sign of life as text: {@code INSTANCE COUNT PREPARED done|open CRC} and spaces, always of the same length, since it
 * is written over the one before. The CRC32C is that of everything before it. It tells one that was read while it was
 * written, half old and half new.
 */
final class BeatText {
    static final int BYTES = 96;
    private static final int WORDS = 5;

    private BeatText() {}

    static byte[] encode(Beat beat) {
        String body =
                beat.instance() + " " + beat.count() + " " + beat.prepared() + (beat.done() ? " done " : " open ");
        return "%-95s\n".formatted(body + SummedText.sum(body)).getBytes(StandardCharsets.US_ASCII);
    }

    /** Null if it is none. */
    static @Nullable Beat parse(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1).strip();
        String[] words = text.split(" ", -1);
        if (words.length != WORDS
                || !words[4].equals(SummedText.sum(text.substring(0, text.length() - words[4].length())))) {
            return null;
        }
        try {
            return new Beat(
                    Integer.parseInt(words[0]),
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    words[3].equals("done"));
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
