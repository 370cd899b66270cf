package org.warpnfs.rpcrdma.message;

/** Tells whether a connection's work stands still. Time is an argument. Owner thread only. */
public final class StallWatch {
    private final long limitNanos;
    private long progress;
    private long progressSeen;
    private long sinceNanos;
    private boolean watching;

    /** @param limitNanos how long work may stand still */
    public StallWatch(long limitNanos) {
        this.limitNanos = limitNanos;
    }

    /** Something completed. */
    public void progressed() {
        progress++;
    }

    /**
     * Looks; to be called every now and then.
     *
     * @param busy whether work is outstanding at the peer
     * @param nowNanos of a clock that only goes forward
     * @return true if work has been outstanding all the while since a look longer ago than the limit, and nothing
     *     completed
     */
    public boolean stalled(boolean busy, long nowNanos) {
        if (busy && watching && progress == progressSeen) {
            return nowNanos - sinceNanos > limitNanos;
        }
        watching = busy;
        progressSeen = progress;
        sinceNanos = nowNanos;
        return false;
    }
}
