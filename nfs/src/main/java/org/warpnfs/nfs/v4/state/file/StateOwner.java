package org.warpnfs.nfs.v4.state.file;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * An open-owner or lock-owner of NFSv4.0. Its requests come one after the other, each with the next seqid (RFC 7530,
 * section 9.1.7). Guarded by the lock of the state.
 */
final class StateOwner {
    /** Whether it owns opens or locks. */
    enum Kind {
        OPEN,
        LOCK
    }

    final Kind kind;
    final Client client;
    final Opaque name;

    /** Seqid of the request that was answered last. */
    int seqid;

    /** Reply to that request; null before the first. */
    @Nullable
    OwnerReply reply;

    /** True once the client has confirmed that its OPEN was not an old one that was delayed (section 9.1.11). */
    boolean confirmed;

    /** True while a request of this owner is in progress. */
    boolean busy;
    /** True if the owner is no longer in the table. */
    boolean gone;
    /** Numbers of its opens or, for a lock-owner, of its lock stateids. */
    final Set<Long> states = new LinkedHashSet<>(2);
    /** Number of the open that it closed last, whose CLOSE may be repeated; 0 if there is none. */
    long closedNumber;

    long usedNanos;

    StateOwner(Kind kind, Client client, Opaque name) {
        this.kind = kind;
        this.client = client;
        this.name = name;
    }
}
