package org.warpnfs.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Cuts a byte stream into pieces, as a socket would. The reader must not depend on where the cuts are.
 *
 * <p>The pieces are read-only views of the stream, in order. Together they are exactly the stream.
 */
@FunctionalInterface
public interface StreamCutter {
    /** Returns the length of the next piece, at least 1, given the number of remaining bytes. */
    int nextLengthBytes(int remainingBytes);

    /** Keeps the stream in one piece. */
    static StreamCutter whole() {
        return remaining -> remaining;
    }

    /** Cuts pieces of a fixed length. The last one may be shorter. */
    static StreamCutter every(int lengthBytes) {
        return remaining -> Math.min(remaining, lengthBytes);
    }

    /**
     * Cuts pieces of random length. Each length is drawn from 1 to a power of two that is itself random, so small and
     * large pieces are about equally likely.
     */
    static StreamCutter random(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return remaining -> Math.min(remaining, random.nextInt(1, (1 << random.nextInt(1, 18)) + 1));
    }

    /** Cuts the stream from its position to its limit, and moves neither. */
    default List<ByteBuffer> cut(ByteBuffer stream) {
        ByteBuffer rest = stream.asReadOnlyBuffer();
        List<ByteBuffer> pieces = new ArrayList<>();
        while (rest.hasRemaining()) {
            int lengthBytes = nextLengthBytes(rest.remaining());
            pieces.add(rest.slice(rest.position(), lengthBytes));
            rest.position(rest.position() + lengthBytes);
        }
        return pieces;
    }
}
