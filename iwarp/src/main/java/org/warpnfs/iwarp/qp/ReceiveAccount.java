package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.memory.Quota;

/** What the posted receives of one queue count against its own limits and those of all. One thread at a time. */
final class ReceiveAccount {
    private final Quota receives;
    private final Quota bytes;

    ReceiveAccount(Quota receives, Quota bytes) {
        this.receives = receives;
        this.bytes = bytes;
    }

    /** Counts a receive, unless that would break a limit. */
    void take(PostedReceive receive) {
        receives.take(1);
        try {
            bytes.take(receive.capacityBytes());
        } catch (IllegalStateException e) {
            receives.give(1);
            throw e;
        }
        receive.countBy(this);
    }

    /** The receive is posted no longer. */
    void give(PostedReceive receive) {
        receives.give(1);
        bytes.give(receive.capacityBytes());
    }

    void close() {
        receives.close();
        bytes.close();
    }
}
