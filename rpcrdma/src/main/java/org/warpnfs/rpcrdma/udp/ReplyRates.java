package org.warpnfs.rpcrdma.udp;

import java.util.Arrays;
import org.warpnfs.limits.ClientAddress;

/**
 * Limits how many calls of each client address are accepted in one second.
 *
 * <p>Forged source addresses cost an attacker nothing, so no state is kept for single addresses. Addresses share
 * {@value #PLACES} entries by the keyed hash of a {@link ClientAddress}. Two addresses with the same entry share its
 * rate for the life of this process. Not safe for use by two threads at once.
 */
final class ReplyRates {
    static final int PLACES = 4096;
    private static final long SECOND_NANOS = 1_000_000_000;

    private final int[] taken = new int[PLACES];
    private final int most;
    private long secondBegan;

    /** @param most the most calls of one address in a second */
    ReplyRates(int most, long nowNanos) {
        this.most = most;
        this.secondBegan = nowNanos;
    }

    /** Accepts a call. Returns false if the limit of this second is reached. */
    boolean admit(ClientAddress client, long nowNanos) {
        if (nowNanos - secondBegan >= SECOND_NANOS) {
            Arrays.fill(taken, 0);
            secondBegan = nowNanos;
        }
        int place = client.hashCode() & PLACES - 1;
        if (taken[place] >= most) {
            return false;
        }
        taken[place]++;
        return true;
    }
}
