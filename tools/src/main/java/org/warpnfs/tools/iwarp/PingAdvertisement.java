package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.verbs.RemoteMemory;

/**
 * The message of rping. With it a client advertises its memory, and a server tells the client to continue.
 *
 * <pre>
 *  0  8  tagged offset
 *  8  4  STag
 * 12  4  length in bytes
 * </pre>
 *
 * A server's message has the same length, and its contents are not used.
 */
record PingAdvertisement(RemoteMemory memory, long lengthBytes) {
    private static final int TAGGED_OFFSET = 0;
    private static final int STAG = TAGGED_OFFSET + 8;
    private static final int LENGTH = STAG + 4;
    static final int BYTES = LENGTH + 4;

    /** Parses a message; null if it is not an advertisement. */
    static @Nullable PingAdvertisement parse(ByteBuffer message) {
        if (message.remaining() != BYTES) {
            return null;
        }
        int start = message.position();
        return new PingAdvertisement(
                new RemoteMemory(BigEndian.u32(message, start + STAG), BigEndian.u64(message, start + TAGGED_OFFSET)),
                BigEndian.u32(message, start + LENGTH));
    }

    ByteBuffer encode() {
        ByteBuffer message = ByteBuffer.allocateDirect(BYTES);
        BigEndian.putU64(message, memory.taggedOffset());
        BigEndian.putU32(message, memory.stag());
        BigEndian.putU32(message, lengthBytes);
        return message.flip();
    }
}
