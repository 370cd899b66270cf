package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The contents of a ping: printable characters and a final NUL, since rping's server writes back as much as
 * {@code strlen} counts. The text differs in each ping and at each offset, so that every wrong byte is noticed.
 */
public final class PingText {
    /** The smallest ping; rping requires room for its own heading and a number. */
    public static final int MIN_BYTES = 32;

    /** The largest ping that rping accepts, one less than its largest buffer. */
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

    /** Returns the length up to and including the first NUL; {@code lengthBytes} if there is none. */
    static int lengthWithNul(ByteBuffer text, int lengthBytes) {
        for (int i = 0; i < lengthBytes; i++) {
            if (text.get(i) == 0) {
                return i + 1;
            }
        }
        return lengthBytes;
    }
}
