package org.warpnfs.nfs.v4.state.client;

/** The slots of all sessions together. Guarded by the lock of the state. */
final class SlotUse {
    private int granted;
    private int busy;
    private long replayed;

    /** A session came. */
    void granted(Session session) {
        granted += session.slotCount();
    }

    /** A session is gone; requests in its slots may still be under way. */
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
