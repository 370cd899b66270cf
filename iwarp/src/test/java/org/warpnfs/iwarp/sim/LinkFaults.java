package org.warpnfs.iwarp.sim;

/**
 * What a simulated link does to the streams on it.
 *
 * @param maxDelayNanos bytes take up to this long; order is kept
 * @param maxPieceBytes bytes are taken from the sender, and delivered, in pieces of at most this length
 * @param resetProbability chance, for each piece delivered, that the connection is reset in place of it
 */
public record LinkFaults(long maxDelayNanos, int maxPieceBytes, double resetProbability) {
    public LinkFaults {
        if (maxDelayNanos < 0 || maxPieceBytes < 1 || resetProbability < 0 || resetProbability > 1) {
            throw new IllegalArgumentException(maxDelayNanos + ", " + maxPieceBytes + ", " + resetProbability);
        }
    }

    /** Short delays, no cuts but large ones, no resets. */
    public static LinkFaults none() {
        return new LinkFaults(1_000, 1 << 20, 0);
    }

    /** Delays up to a millisecond, cuts anywhere, no resets. */
    public static LinkFaults cuts() {
        return new LinkFaults(1_000_000, 3_000, 0);
    }

    /** These, with resets. */
    public LinkFaults withResets(double probability) {
        return new LinkFaults(maxDelayNanos, maxPieceBytes, probability);
    }
}
