package org.warpnfs.tools.iwarp;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.MpaChoices;

/**
 * How a server shall serve.
 *
 * @param listen where; port 0 takes any free one
 * @param sizeBytes the largest message or ping
 * @param depth receives posted ahead
 * @param once whether it ends with its first client
 * @param reject if not null, every connection is refused, with these words as private data
 * @param patienceSeconds without any progress before a client is given up
 * @param mpa how connections are started
 */
public record ServerPlan(
        TestKind kind,
        InetSocketAddress listen,
        int sizeBytes,
        int depth,
        boolean once,
        @Nullable String reject,
        int patienceSeconds,
        MpaChoices mpa) {
    public ServerPlan {
        if (sizeBytes < 1 || depth < 3) {
            throw new IllegalArgumentException("size " + sizeBytes + " below 1, or depth " + depth + " below 3");
        }
    }
}
