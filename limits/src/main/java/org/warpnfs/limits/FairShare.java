package org.warpnfs.limits;

/**
 * The rule by which clients share a resource: a client may hold as much as is still free.
 *
 * <p>One client alone gets half of all, two get a third each, and so on. So the number of clients need not be known. A
 * client that holds nothing may take all that is free, so its first piece may be larger than half.
 *
 * <p>Clients that come one after the other and take all they can leave half of what they found. So about as many as the
 * binary logarithm of the number of pieces use up everything. The next one has nothing until one of them gives
 * something back. Those that hold more than is free then cannot take it before that client.
 *
 * <p>This class only computes. The owner of the resource keeps the amounts and the lock.
 */
public final class FairShare {
    private FairShare() {}

    /**
     * How much more a client may take.
     *
     * @param held how much the client holds
     * @param free how much no client holds
     * @return at least 0
     */
    public static long room(long held, long free) {
        return Math.max(0, free - held);
    }

    /** True if a client that holds {@code held} may take {@code more} of what is {@code free}. */
    public static boolean allows(long held, long more, long free) {
        return more <= room(held, free);
    }
}
