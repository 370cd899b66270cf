package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.memory.Quota;

/** Counts the posted receives of one queue against its own limits and those of all queues. For one thread at a time. */
final class ReceiveAccount {
    private final Quota receives;
    private final Quota bytes;

    ReceiveAccount(Quota receives, Quota bytes) {
        this.receives = receives;
        this.bytes = bytes;
    }

    /** Counts a receive. Throws if that would exceed a limit. */
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

    /** Stops counting a receive that is no longer posted. */
    void give(PostedReceive receive) {
        receives.give(1);
        bytes.give(receive.capacityBytes());
    }

    void close() {
        receives.close();
        bytes.close();
    }
}
