package org.warpnfs.rpcrdma.gss;

import java.util.Arrays;

/**
 * The sequence numbers that a context has seen (RFC 2203, section 5.3.3.1).
 *
 * <pre>
 * a number          | result
 * ------------------+---------------------------------------------
 * above the highest | new; the window moves up to it
 * in the window     | new if it was not seen, else a repetition
 * below the window  | too old, which is treated as a repetition
 * </pre>
 *
 * Calls of one context arrive on several connections and run on several threads, so they come in any order. A wide
 * window keeps them all. Safe for any thread.
 */
final class SequenceWindow {
    /** More than a Linux client has in flight over sixteen connections with 64 calls each. */
    static final int SIZE = 2048;

    private final long[] seen = new long[SIZE / Long.SIZE];
    private long highest;

    /** True if the number is new. It counts as seen from then on. */
    synchronized boolean accept(long sequence) {
        if (sequence > highest) {
            moveTo(sequence);
        } else if (highest - sequence >= SIZE || isSeen(sequence)) {
            return false;
        }
        seen[word(sequence)] |= bit(sequence);
        return true;
    }

    private void moveTo(long sequence) {
        if (sequence - highest >= SIZE) {
            Arrays.fill(seen, 0);
        } else {
            for (long next = highest + 1; next <= sequence; next++) {
                seen[word(next)] &= ~bit(next);
            }
        }
        highest = sequence;
    }

    private boolean isSeen(long sequence) {
        return (seen[word(sequence)] & bit(sequence)) != 0;
    }

    private static int word(long sequence) {
        return (int) (sequence % SIZE / Long.SIZE);
    }

    private static long bit(long sequence) {
        return 1L << sequence % Long.SIZE;
    }
}
