package org.warpnfs.iwarp.sim;

/**
 * The behaviour of a simulated link.
 *
 * @param maxDelayNanos the longest delay of bytes; their order is kept
 * @param maxPieceBytes the longest piece in which bytes are taken from the sender and delivered
 * @param resetProbability the probability, for each piece delivered, that the connection is reset instead
 */
public record LinkFaults(long maxDelayNanos, int maxPieceBytes, double resetProbability) {
    public LinkFaults {
        if (maxDelayNanos < 0 || maxPieceBytes < 1 || resetProbability < 0 || resetProbability > 1) {
            throw new IllegalArgumentException(maxDelayNanos + ", " + maxPieceBytes + ", " + resetProbability);
        }
    }

    /** Short delays, only large pieces, no resets. */
    public static LinkFaults none() {
        return new LinkFaults(1_000, 1 << 20, 0);
    }

    /** Delays up to a millisecond, pieces of any size, no resets. */
    public static LinkFaults cuts() {
        return new LinkFaults(1_000_000, 3_000, 0);
    }

    /** A copy with resets. */
    public LinkFaults withResets(double probability) {
        return new LinkFaults(maxDelayNanos, maxPieceBytes, probability);
    }
}
