package org.warpnfs.iwarp.memory;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * Draws STags: 32 bits that a peer cannot guess (RFC 5042, section 6.3). It takes many at a time from its generator,
 * because each call of a secure generator has a high fixed cost. For one thread at a time.
 */
public final class StagSource {
    private static final int DRAWN_AT_ONCE_BYTES = 256;

    private final RandomGenerator random;
    private final byte[] drawn = new byte[DRAWN_AT_ONCE_BYTES];
    private final ByteBuffer rest = ByteBuffer.wrap(drawn).limit(0);

    /** @param random a {@link java.security.SecureRandom} wherever peers are real */
    public StagSource(RandomGenerator random) {
        this.random = random;
    }

    /** The next candidate, an unsigned 32-bit number other than 0. */
    long next() {
        while (true) {
            if (!rest.hasRemaining()) {
                random.nextBytes(drawn);
                rest.clear();
            }
            long stag = BigEndian.u32(rest, rest.position());
            rest.position(rest.position() + Integer.BYTES);
            if (stag != 0) {
                return stag;
            }
        }
    }
}
