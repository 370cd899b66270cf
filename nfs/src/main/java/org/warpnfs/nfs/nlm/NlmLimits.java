package org.warpnfs.nfs.nlm;

/**
 * Limits of NLM. Clients share each of them.
 *
 * @param maxLocks byte ranges that clients may have locked
 * @param maxShares share reservations
 * @param maxHosts clients that are monitored
 */
public record NlmLimits(int maxLocks, int maxShares, int maxHosts) {
    public static final NlmLimits DEFAULT = new NlmLimits(100_000, 10_000, 4096);

    // Measured as differences of class histograms, with names and owners of 1,024 bytes; what is counted is some tenth
    // more.

    /** A lock of an owner that has no other, with what the server has for its file. */
    static final int LOCK_BYTES = 2_560;
    /** A share reservation of an owner that has no other. */
    static final int SHARE_BYTES = 1_792;
    /** A monitored client. */
    static final int HOST_BYTES = 2_304;

    public NlmLimits {
        if (maxLocks < 1 || maxShares < 1 || maxHosts < 1) {
            throw new IllegalArgumentException("limits below 1");
        }
    }

    /** Heap that all of this may take, with the longest names. */
    public long heapBytes() {
        return maxLocks * (long) LOCK_BYTES + maxShares * (long) SHARE_BYTES + maxHosts * (long) HOST_BYTES;
    }

    /** Returns these limits, or lower ones that take a part of the heap. */
    public NlmLimits scaled(double part) {
        return new NlmLimits(scaled(maxLocks, part), scaled(maxShares, part), scaled(maxHosts, part));
    }

    private static int scaled(int number, double part) {
        return (int) Math.max(1, number * Math.min(1, part));
    }
}
