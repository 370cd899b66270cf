package org.warpnfs.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Hands a byte stream over in pieces, as a socket would: whoever reads it must not care where the cuts are.
 *
 * <p>Pieces are read-only views of the stream, in order, together exactly the stream.
 */
@FunctionalInterface
public interface StreamCutter {
    /** The length of the next piece, at least 1, given how much is left. */
    int nextLengthBytes(int remainingBytes);

    /** Everything in one piece. */
    static StreamCutter whole() {
        return remaining -> remaining;
    }

    /** Pieces of a fixed length, the last one shorter. */
    static StreamCutter every(int lengthBytes) {
        return remaining -> Math.min(remaining, lengthBytes);
    }

    /**
     * Pieces of random length, small and large ones alike likely: a length is drawn from 1 to a power of two that is
     * itself drawn.
     */
    static StreamCutter random(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return remaining -> Math.min(remaining, random.nextInt(1, (1 << random.nextInt(1, 18)) + 1));
    }

    /** Cuts from the stream's position to its limit, which it does not move. */
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
