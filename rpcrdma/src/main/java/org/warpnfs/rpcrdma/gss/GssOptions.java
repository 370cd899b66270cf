package org.warpnfs.rpcrdma.gss;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of the layer.
 *
 * @param maxContexts contexts of all clients together
 * @param lifetime how long an established context lives at most, and if its mechanism does not tell when its
 *     initiator's credential ends. Then its client makes a new one, for which it needs a ticket that is still valid
 * @param leastLife how long a context lives at least that was made of a credential at its end. A client whose clock is
 *     a little behind takes its ticket for valid when it has ended here; without this its new contexts would be dead
 *     before their first call, and its programs would get errors
 * @param creation how long the creation of a context may take
 * @param maxTokenBytes the longest token of a client
 * @param longBodies how many bodies of more than 64 KiB are protected or opened at once
 */
public record GssOptions(
        int maxContexts, Duration lifetime, Duration leastLife, Duration creation, int maxTokenBytes, int longBodies) {
    /**
     * 8192 contexts, an hour, ten seconds, half a minute, and 64 KiB: a ticket of a domain with many groups is that
     * long. One long body for each processor.
     */
    public static final GssOptions DEFAULTS = new GssOptions(
            8192,
            Duration.ofHours(1),
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            64 << 10,
            Runtime.getRuntime().availableProcessors());

    /**
     * How long a context lives from now on.
     *
     * @param credential what is left of its initiator's credential; null if its mechanism does not tell
     */
    Duration life(@Nullable Duration credential) {
        if (credential == null || credential.compareTo(lifetime) >= 0) {
            return lifetime;
        }
        return credential.compareTo(leastLife) < 0 ? leastLife : credential;
    }
}
