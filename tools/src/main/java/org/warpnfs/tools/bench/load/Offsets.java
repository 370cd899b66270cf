package org.warpnfs.tools.bench.load;

import java.util.SplittableRandom;

/** Chooses the offset of each transfer. Not thread-safe. */
@FunctionalInterface
public interface Offsets {
    /** There is no further transfer. */
    long END = -1;

    /** The next offset, or {@link #END}. */
    long next();

    /** The blocks {@code first} to {@code first + count - 1} in order, over and over. */
    static Offsets around(long first, long count, int blockBytes) {
        long[] index = new long[1];
        return () -> (first + index[0]++ % count) * blockBytes;
    }

    /** The blocks {@code first} to {@code first + count - 1} in order, once. */
    static Offsets once(long first, long count, int blockBytes) {
        long[] index = new long[1];
        return () -> index[0] < count ? (first + index[0]++) * blockBytes : END;
    }

    /** Random blocks among {@code count}. */
    static Offsets random(long seed, long count, int blockBytes) {
        SplittableRandom random = new SplittableRandom(seed);
        return () -> random.nextLong(count) * blockBytes;
    }

    /** The first {@code count} of the given offsets. */
    static Offsets limited(Offsets offsets, long count) {
        long[] left = {count};
        return () -> left[0]-- > 0 ? offsets.next() : END;
    }
}
