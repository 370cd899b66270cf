package org.warpnfs.nfs.v4.state.client;

/** Counters of the slots of all sessions. Guarded by the lock of the state. */
final class SlotUse {
    private int granted;
    private int busy;
    private long replayed;

    /** Adds the slots of a new session. */
    void granted(Session session) {
        granted += session.slotCount();
    }

    /** Removes the slots of a session that is gone. Requests in its slots may still be in progress. */
    void gone(Session session) {
        granted -= session.slotCount();
    }

    void began() {
        busy++;
    }

    void ended() {
        busy--;
    }

    void replayed() {
        replayed++;
    }

    SlotCounts counts() {
        return new SlotCounts(granted, busy, replayed);
    }
}
