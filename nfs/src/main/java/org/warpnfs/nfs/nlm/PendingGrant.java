package org.warpnfs.nfs.nlm;

import org.warpnfs.nfs.locks.ByteRange;

/** A lock that was granted after a wait and that the client has not acknowledged. Guarded by {@link Granting}. */
final class PendingGrant {
    private final HostHoldings.Place place;
    private final ByteRange range;
    private final PeerCall call;
    private int attempts;

    PendingGrant(HostHoldings.Place place, ByteRange range, PeerCall call) {
        this.place = place;
        this.range = range;
        this.call = call;
    }

    HostHoldings.Place place() {
        return place;
    }

    ByteRange range() {
        return range;
    }

    PeerCall call() {
        return call;
    }

    /** Number of attempts before this one. */
    int nextAttempt() {
        return attempts++;
    }
}
