package org.warpnfs.rpcrdma.gss;

import java.time.Duration;

/**
 * Limits of the layer.
 *
 * @param maxContexts contexts of all clients together
 * @param lifetime how long an established context lives; then its client makes a new one, for which it needs a ticket
 *     that is still valid
 * @param creation how long the creation of a context may take
 * @param maxTokenBytes the longest token of a client
 */
public record GssOptions(int maxContexts, Duration lifetime, Duration creation, int maxTokenBytes) {
    /** 8192 contexts, an hour, half a minute, and 64 KiB: a ticket of a domain with many groups is that long. */
    public static final GssOptions DEFAULTS =
            new GssOptions(8192, Duration.ofHours(1), Duration.ofSeconds(30), 64 << 10);
}
