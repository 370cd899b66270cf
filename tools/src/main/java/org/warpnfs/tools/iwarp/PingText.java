package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a ping carries: printable characters and a NUL at the end, since rping's server writes back as much as
 * {@code strlen} counts. It differs from ping to ping and from place to place, so that a wrong byte cannot pass
 * unnoticed.
 */
public final class PingText {
    /** The smallest ping: rping knows none smaller than its own heading and a number. */
    public static final int MIN_BYTES = 32;

    /** One less than the largest buffer of rping, which takes that many. */
    public static final int MAX_RPING_BYTES = (64 << 10) - 1;

    private static final int FIRST = '!';
    private static final int LETTERS = '~' - FIRST + 1;

    private PingText() {}

    /** Fills {@code out} from 0 to its capacity. */
    static void write(ByteBuffer out, long ping) {
        byte[] heading = ("warpnfs-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
        int end = out.capacity() - 1;
        for (int i = 0; i < end; i++) {
            out.put(i, i < heading.length ? heading[i] : (byte) (FIRST + (i / LETTERS + i + ping) % LETTERS));
        }
        out.put(end, (byte) 0);
    }

    /** How many of {@code lengthBytes} bytes a {@code strlen} and its NUL are; all, if there is no NUL. */
    static int lengthWithNul(ByteBuffer text, int lengthBytes) {
        for (int i = 0; i < lengthBytes; i++) {
            if (text.get(i) == 0) {
                return i + 1;
            }
        }
        return lengthBytes;
    }
}
