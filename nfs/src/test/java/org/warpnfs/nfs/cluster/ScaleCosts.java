package org.warpnfs.nfs.cluster;

import java.util.concurrent.TimeUnit;

/**
 * What the steps of a simulated cluster cost.
 *
 * @param engineNanos time of the shared file system's metadata service for one operation; it does one at a time
 * @param roundTripNanos from a gateway to that service and back
 * @param syncNanos until a file or directory is on stable storage, beside the above
 * @param callNanos processor time of a gateway for one call
 * @param cores of a gateway
 * @param threads how many calls of a gateway wait for the engine at once
 * @param opens files that a client has open, each of which it reclaims by an OPEN
 * @param locks byte-range locks that it holds
 */
record ScaleCosts(
        long engineNanos,
        long roundTripNanos,
        long syncNanos,
        long callNanos,
        int cores,
        int threads,
        int opens,
        int locks) {
    static final ScaleCosts USUAL = new ScaleCosts(
            TimeUnit.MICROSECONDS.toNanos(Long.getLong("warpnfs.scale.engine", 100)),
            TimeUnit.MICROSECONDS.toNanos(500),
            TimeUnit.MILLISECONDS.toNanos(5),
            TimeUnit.MICROSECONDS.toNanos(130),
            2,
            16,
            Integer.getInteger("warpnfs.scale.opens", 10),
            Integer.getInteger("warpnfs.scale.locks", 2));

    int reclaims() {
        return opens + locks;
    }
}
