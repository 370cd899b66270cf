package org.warpnfs.rpcrdma.udp;

import java.util.Arrays;
import org.warpnfs.limits.ClientAddress;

/**
 * How many calls of each client address were taken in this second.
 *
 * <p>A forged source costs nothing to make up, so nothing is kept by address: addresses share {@value #PLACES} places
 * by a keyed hash. Two that meet in one share its rate for as long as this object lives. Not safe for two threads at
 * once.
 */
final class ReplyRates {
    static final int PLACES = 4096;
    private static final long SECOND_NANOS = 1_000_000_000;

    private final int[] taken = new int[PLACES];
    private final int most;
    private final int key;
    private long secondBegan;

    /**
     * @param most calls of one address in a second
     * @param key random, so that nobody knows whose place is whose
     */
    ReplyRates(int most, int key, long nowNanos) {
        this.most = most;
        this.key = key;
        this.secondBegan = nowNanos;
    }

    /** Takes a call, or says that there were enough in this second. */
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
