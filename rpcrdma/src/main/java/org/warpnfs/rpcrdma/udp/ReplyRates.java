package org.warpnfs.rpcrdma.udp;

import java.util.Arrays;
import org.warpnfs.limits.ClientAddress;

/**
 * Limits how many calls of each client address are accepted in one second.
 *
 * <p>Forged source addresses cost an attacker nothing, so no state is kept for single addresses. Addresses share
 * {@value #PLACES} entries by a keyed hash. Two addresses with the same entry share its rate for the life of this
 * object. Not safe for use by two threads at once.
 */
final class ReplyRates {
    static final int PLACES = 4096;
    private static final long SECOND_NANOS = 1_000_000_000;

    private final int[] taken = new int[PLACES];
    private final int most;
    private final int key;
    private long secondBegan;

    /**
     * @param most the most calls of one address in a second
     * @param key a random number, so that nobody can predict which addresses share an entry
     */
    ReplyRates(int most, int key, long nowNanos) {
        this.most = most;
        this.key = key;
        this.secondBegan = nowNanos;
    }

    /** Accepts a call. Returns false if the limit of this second is reached. */
    boolean admit(ClientAddress client, long nowNanos) {
        if (nowNanos - secondBegan >= SECOND_NANOS) {
            Arrays.fill(taken, 0);
            secondBegan = nowNanos;
        }
        int hash = (client.hashCode() ^ key) * 0x9E37_79B1;
        int place = (hash >>> 16 ^ hash) & PLACES - 1;
        if (taken[place] >= most) {
            return false;
        }
        taken[place]++;
        return true;
    }
}
