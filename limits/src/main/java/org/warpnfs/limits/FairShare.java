package org.warpnfs.limits;

/**
 * The rule by which clients share what there is: one may hold as much as is still free.
 *
 * <p>Alone it gets half of all, two get a third each, and so on. So a newcomer always finds something, and nobody has
 * to know beforehand how many will come. Who holds nothing yet may take whatever is free: its first piece may be larger
 * than half.
 *
 * <p>Counts nothing by itself: whoever shares something keeps the amounts, and the lock.
 */
public final class FairShare {
    private FairShare() {}

    /**
     * How much more a client may take.
     *
     * @param held what it holds
     * @param free what nobody holds
     * @return at least 0
     */
    public static long room(long held, long free) {
        return Math.max(0, free - held);
    }

    /** True if a client that holds {@code held} may take so many {@code more} of what is {@code free}. */
    public static boolean allows(long held, long more, long free) {
        return more <= room(held, free);
    }
}
