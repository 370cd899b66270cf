package org.warpnfs.stable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * A text of one byte for each character, behind its checksum:
 *
 * <pre>
 *   crc HEX     CRC32C of all bytes behind this line, 8 digits
 *   TEXT
 * </pre>
 *
 * The checksum comes first so that no text that was cut looks like one without a checksum, as earlier builds wrote it.
 */
public final class SummedText {
    private static final String BEGIN = "crc ";
    private static final int HEAD = BEGIN.length() + 2 * Integer.BYTES + 1;

    private SummedText() {}

    /** The text with its checksum. */
    public static String of(String text) {
        return BEGIN + sum(text) + '\n' + text;
    }

    /**
     * The text without its checksum. One that does not begin with a checksum is returned as it is.
     *
     * @throws IOException if it is damaged; the message says what is wrong, not where
     */
    public static String read(String summed) throws IOException {
        if (!summed.startsWith(BEGIN)) {
            return summed;
        }
        String text = summed.substring(Math.min(HEAD, summed.length()));
        if (!summed.equals(of(text))) {
            throw new IOException("is damaged: its checksum is wrong");
        }
        return text;
    }

    /** The checksum of a text, in 8 hexadecimal digits. */
    public static String sum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return "%08x".formatted((int) crc.getValue());
    }
}
