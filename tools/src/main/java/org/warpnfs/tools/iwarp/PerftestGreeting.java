package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * The four messages at the beginning of a perftest with {@code -R}; each is answered with one of the same length before
 * the next.
 *
 * <pre>
 * 16 bytes  version, as text with NULs behind it
 *  4 bytes  size of the buffer that small messages walk through; the larger of the two counts
 *  4 bytes  size of a cache line, likewise
 *  2 bytes  path MTU as a digit and a NUL: 3 stands for 1024, as siw has it, and means nothing on iWARP
 * </pre>
 */
final class PerftestGreeting {
    /** The version of Debian 12. From 6.28 on there is a further message, which is not sent to older peers. */
    private static final String VERSION = "6.06";

    private static final double OLDEST_VERSION = 5.70;
    private static final int VERSION_BYTES = 16;
    private static final int LINE_BYTES = 64;

    /** The buffer that messages of at most half its size cycle through; the offered memory is at least as large. */
    static final int CYCLE_BYTES = 4096;

    /** The number of messages. */
    static final int MESSAGES = 4;

    private PerftestGreeting() {}

    /** Returns a message by number, as both ends send it. */
    static ByteBuffer message(int number) {
        return switch (number) {
            case 0 ->
                ByteBuffer.allocateDirect(VERSION_BYTES)
                        .put(VERSION.getBytes(StandardCharsets.US_ASCII))
                        .clear();
            case 1 -> word(CYCLE_BYTES);
            case 2 -> word(LINE_BYTES);
            case 3 -> ByteBuffer.allocateDirect(2).put((byte) '3').clear();
            default -> throw new IllegalArgumentException("no greeting " + number);
        };
    }

    private static ByteBuffer word(int value) {
        ByteBuffer message = ByteBuffer.allocateDirect(4);
        BigEndian.putU32(message, value);
        return message.flip();
    }

    /** Returns why the peer's message is not acceptable; null if it is. */
    static @Nullable String whyRefused(int number, ByteBuffer message) {
        if (message.remaining() != message(number).remaining()) {
            return "greeting " + number + " of " + message.remaining() + " bytes: this is no perftest";
        }
        if (number == 0) {
            return whyVersionRefused(message);
        }
        if (number == 1 && BigEndian.u32(message, message.position()) > CYCLE_BYTES) {
            return "a cycle buffer of more than " + CYCLE_BYTES + " bytes";
        }
        return null;
    }

    private static @Nullable String whyVersionRefused(ByteBuffer message) {
        String version = StandardCharsets.ISO_8859_1
                .decode(message.duplicate())
                .toString()
                .replaceAll("\0.*", "");
        try {
            if (Double.parseDouble(version) >= OLDEST_VERSION) {
                return null;
            }
        } catch (NumberFormatException e) {
            return "a peer whose version is no number: this is no perftest";
        }
        return "perftest " + version + " is older than " + OLDEST_VERSION;
    }
}
