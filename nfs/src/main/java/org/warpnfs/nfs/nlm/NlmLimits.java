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

    public NlmLimits {
        if (maxLocks < 1 || maxShares < 1 || maxHosts < 1) {
            throw new IllegalArgumentException("limits below 1");
        }
    }
}
