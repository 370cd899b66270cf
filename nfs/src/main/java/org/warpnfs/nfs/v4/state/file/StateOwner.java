package org.warpnfs.nfs.v4.state.file;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * An open-owner or lock-owner of NFSv4.0, whose requests come one after the other, each with the next seqid (RFC 7530,
 * section 9.1.7). Guarded by the lock of the state.
 */
final class StateOwner {
    /** Whose states it names. */
    enum Kind {
        OPEN,
        LOCK
    }

    final Kind kind;
    final Client client;
    final Opaque name;

    /** Of the request that was answered last. */
    int seqid;

    /** What it was answered; null before the first. */
    @Nullable
    OwnerReply reply;

    /** True once the client has shown that its OPEN was no old one that came late (section 9.1.11). */
    boolean confirmed;

    /** A request of this owner executes. */
    boolean busy;
    /** No longer in the table. */
    boolean gone;
    /** Of an open-owner the numbers of its opens, of a lock-owner those of its lock stateids. */
    final Set<Long> states = new LinkedHashSet<>(2);
    /** Of the open closed last, whose CLOSE may be repeated; 0 if none. */
    long closedNumber;

    long usedNanos;

    StateOwner(Kind kind, Client client, Opaque name) {
        this.kind = kind;
        this.client = client;
        this.name = name;
    }
}
