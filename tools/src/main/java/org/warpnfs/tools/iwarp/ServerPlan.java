package org.warpnfs.tools.iwarp;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.limits.FpduSize;

/**
 * The plan of a server.
 *
 * @param listen where to listen; port 0 means any free port
 * @param sizeBytes the largest message or ping
 * @param depth the number of posted receives
 * @param once whether it exits after its first client
 * @param reject if not null, every connection is rejected with this text as private data
 * @param patienceSeconds the time without progress after which a client is disconnected
 * @param mpa how connections are started
 * @param fpdus how long the FPDUs that are sent may be
 */
public record ServerPlan(
        TestKind kind,
        InetSocketAddress listen,
        int sizeBytes,
        int depth,
        boolean once,
        @Nullable String reject,
        int patienceSeconds,
        MpaChoices mpa,
        FpduSize fpdus) {
    public ServerPlan {
        if (sizeBytes < 1 || depth < 3) {
            throw new IllegalArgumentException("size " + sizeBytes + " below 1, or depth " + depth + " below 3");
        }
    }
}
