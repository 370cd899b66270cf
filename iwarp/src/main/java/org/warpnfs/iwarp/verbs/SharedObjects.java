package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The objects that a queue pair shares with others. All of them must come from the transport that connects the queue
 * pair.
 *
 * @param domain the protection domain of the queue pair; null for none
 * @param completions the queue that its completions go to; null for its handler
 * @param receives the queue that its receives come from; null for its own queue
 */
public record SharedObjects(
        @Nullable ProtectionDomain domain,
        @Nullable CompletionQueue completions,
        @Nullable SharedReceiveQueue receives) {
    /** No shared object, the default. */
    public static final SharedObjects NONE = new SharedObjects(null, null, null);
}
