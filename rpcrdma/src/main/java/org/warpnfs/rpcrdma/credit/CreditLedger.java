package org.warpnfs.rpcrdma.credit;

/**
 * The responder's credits on one connection (RFC 8166, section 3.3.1).
 *
 * <p>Every granted credit is covered by a receive buffer. So the grant never exceeds {@link #buffers()}, except for the
 * RDMA_DONE that the requester owes, and it is never 0. A smaller grant does not apply to calls that are already on
 * their way. So only the buffers bound what a requester may have outstanding, and {@link #callReceived()} returns false
 * beyond them. For the owner thread only.
 */
public final class CreditLedger {
    private final int maxBuffers;
    private final int doneBuffers;
    private int buffers;
    private int inFlight;
    private int granted = 1;

    /**
     * @param buffers the initial number of receive buffers for calls, at least 1
     * @param maxBuffers the largest number of them
     * @param doneBuffers additional buffers for RDMA_DONE; a call may take one if the requester used the credit of a
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

    /** The number of receive buffers for calls, whether posted or holding a call. */
    public int buffers() {
        return buffers;
    }

    /** The number of messages whose answer has not been sent yet. */
    public int inFlight() {
        return inFlight;
    }

    /** The grant of the last reply; 1 before the first reply (RFC 8166, section 3.3.3). */
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

    /** A call was dropped, or its answer is about to be sent and its receive buffer is posted again. */
    public void callEnded() {
        if (inFlight == 0) {
            throw new IllegalStateException("more calls ended than began");
        }
        inFlight--;
    }

    /**
     * How many more buffers would help a requester that wants {@code wanted} credits. 0 unless most of its buffers are
     * in use now.
     */
    public int wantsMore(long wanted) {
        boolean busy = inFlight * 4L >= buffers * 3L;
        return busy ? (int) Math.max(0, Math.min(wanted, maxBuffers) - buffers) : 0;
    }

    /** Records that more buffers have been posted. */
    public void grow(int moreBuffers) {
        if (moreBuffers < 0 || moreBuffers > maxBuffers - buffers) {
            throw new IllegalArgumentException(moreBuffers + " more than " + buffers + " of " + maxBuffers);
        }
        buffers += moreBuffers;
    }

    /**
     * The grant of the next reply, whose call still counts as in flight.
     *
     * @param wanted the credits that the call asked for, unsigned 32 bits; 0 counts as 1
     * @param strained true while payload memory is short; the grant is then at most the number of other calls in
     *     flight, so that the load decreases
     * @param donesOwed the number of RDMA_DONE that the requester owes. Each uses a credit (RFC 5666, section 3.8), so
     *     the grant includes them and one call. They have receive buffers in addition to {@link #buffers()}
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
