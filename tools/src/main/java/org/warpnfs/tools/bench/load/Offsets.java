package org.warpnfs.tools.bench.load;

import java.util.SplittableRandom;

/** Where the next transfer goes. Not safe for two threads at once. */
@FunctionalInterface
public interface Offsets {
    /** No further transfer. */
    long END = -1;

    /** The next offset, or {@link #END}. */
    long next();

    /** Block after block of {@code first} to {@code first + count - 1}, over and over. */
    static Offsets around(long first, long count, int blockBytes) {
        long[] index = new long[1];
        return () -> (first + index[0]++ % count) * blockBytes;
    }

    /** The same, once. */
    static Offsets once(long first, long count, int blockBytes) {
        long[] index = new long[1];
        return () -> index[0] < count ? (first + index[0]++) * blockBytes : END;
    }

    /** Any of {@code count} blocks. */
    static Offsets random(long seed, long count, int blockBytes) {
        SplittableRandom random = new SplittableRandom(seed);
        return () -> random.nextLong(count) * blockBytes;
    }

    /** Of these, so many. */
    static Offsets limited(Offsets offsets, long count) {
        long[] left = {count};
        return () -> left[0]-- > 0 ? offsets.next() : END;
    }
}
