package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * What a queue pair shares with others. All of it is made by the transport that connects the queue pair.
 *
 * @param domain the protection domain that it is in; null for none
 * @param completions where its completions go; null for its handler
 * @param receives where its receives come from; null for its own queue
 */
public record SharedObjects(
        @Nullable ProtectionDomain domain,
        @Nullable CompletionQueue completions,
        @Nullable SharedReceiveQueue receives) {
    /** Shares nothing: the default. */
    public static final SharedObjects NONE = new SharedObjects(null, null, null);
}
