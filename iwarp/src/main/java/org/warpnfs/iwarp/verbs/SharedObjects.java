package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * What a queue pair shares with others. All of it is made by the transport that connects the queue pair.
 *
 * @param domain the protection domain that it is in; null for none
 */
public record SharedObjects(@Nullable ProtectionDomain domain) {
    /** Shares nothing: the default. */
    public static final SharedObjects NONE = new SharedObjects(null);
}
