package org.warpnfs.server;

import org.warpnfs.fs.local.SyncWaits;
import org.warpnfs.lanes.SharedWait;

/** Tells the lane of a call that it waits for stable storage, so that others may run meanwhile. Safe for any thread. */
final class LaneSyncWaits implements SyncWaits {
    @Override
    public boolean begin() {
        return SharedWait.begin();
    }

    @Override
    public void end(boolean begun) {
        SharedWait.end(begun);
    }
}
