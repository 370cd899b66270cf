package org.warpnfs.rpcrdma.credit;

/**
 * The responder's credits on one connection (RFC 8166, section 3.3.1).
 *
 * <p>Every granted credit is covered by a receive buffer, so the grant never exceeds {@link #buffers()}, whatever the
 * requester asks, but for what it owes; and it is never 0. A smaller grant does not bind calls that are already on
 * their way: what a requester may have outstanding is bounded by the buffers alone, and {@link #callReceived()} says no
 * beyond them. Owner thread only.
 */
public final class CreditLedger {
    private final int maxBuffers;
    private final int doneBuffers;
    private int buffers;
    private int inFlight;
    private int granted = 1;

    /**
     * @param buffers receive buffers for calls at the start, at least 1
     * @param maxBuffers how many there may ever be
     * @param doneBuffers those that are there for RDMA_DONE; a call may take one if the requester used the credit of a
     *     DONE for it
     */
    public CreditLedger(int buffers, int maxBuffers, int doneBuffers) {
        if (buffers < 1 || maxBuffers < buffers || doneBuffers < 0) {
            throw new IllegalArgumentException(buffers + " receive buffers of at most " + maxBuffers);
        }
        this.buffers = buffers;
        this.maxBuffers = maxBuffers;
        this.doneBuffers = doneBuffers;
    }

    /** Receive buffers that cover calls, posted or holding a call. */
    public int buffers() {
        return buffers;
    }

    /** Messages to be answered whose answer is not on its way yet. */
    public int inFlight() {
        return inFlight;
    }

    /** What the last reply granted; before it, one (RFC 8166, section 3.3.3). */
    public int granted() {
        return granted;
    }

    /**
     * A call has arrived.
     *
     * @return false if the requester has more outstanding than any grant ever allowed
     */
    public boolean callReceived() {
        if (inFlight == buffers + doneBuffers) {
            return false;
        }
        inFlight++;
        return true;
    }

    /** A call was dropped, or its answer is about to leave, and its receive buffer is posted again. */
    public void callEnded() {
        if (inFlight == 0) {
            throw new IllegalStateException("a call ended that never began");
        }
        inFlight--;
    }

    /**
     * How many more buffers would be of use to a requester that wants {@code wanted} credits and is short of them now.
     */
    public int wantsMore(long wanted) {
        boolean busy = inFlight * 4L >= buffers * 3L;
        return busy ? (int) Math.max(0, Math.min(wanted, maxBuffers) - buffers) : 0;
    }

    /** More buffers are posted. */
    public void grow(int moreBuffers) {
        if (moreBuffers < 0 || moreBuffers > maxBuffers - buffers) {
            throw new IllegalArgumentException(moreBuffers + " more than " + buffers + " of " + maxBuffers);
        }
        buffers += moreBuffers;
    }

    /**
     * The grant for the next reply, whose call is still in flight.
     *
     * @param wanted what the call asked for, unsigned 32 bits; 0 counts as 1
     * @param strained true while payload memory is short: then no more than what else is in flight, so that the load
     *     shrinks
     * @param donesOwed RDMA_DONE that the requester owes, each of which uses a credit (RFC 5666, section 3.8): the
     *     grant leaves room for them and one call. They have receive buffers beside those of {@link #buffers()}
     */
    public int grant(long wanted, boolean strained, int donesOwed) {
        long grant = Math.clamp(wanted, 1, buffers);
        if (strained) {
            grant = Math.min(grant, Math.max(1, inFlight - 1));
        }
        grant = Math.max(grant, donesOwed + 1L);
        granted = (int) grant;
        return granted;
    }
}
