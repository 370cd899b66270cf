package org.warpnfs.rpcrdma.tcp;

/**
 * The part of the {@link ReplyMemory} that one call holds, from before it begins until its reply was taken.
 *
 * <p>For one thread at a time, the one that has the call.
 */
final class ReplyClaim {
    private final ClientAccount account;
    private final boolean alone;
    private ReplyMemory.Size size = ReplyMemory.Size.NONE;
    private boolean hasSetAside;

    /** @param alone whether its connection had no other call when this one was started */
    ReplyClaim(ClientAccount account, boolean alone) {
        this.account = account;
        this.alone = alone;
    }

    /**
     * Asks whether the call may begin. A call that goes on in another lane asks again: what it has set aside counts
     * once.
     *
     * @param mayBeLong whether its reply may have the maximum length
     */
    boolean mayBegin(boolean mayBeLong) {
        if (hasSetAside) {
            if (!mayBeLong) {
                end();
            }
            return true;
        }
        if (!mayBeLong) {
            return account.replies().mayBegin(account.untaken(), alone);
        }
        hasSetAside = account.replies().setAside(account.untaken(), alone);
        return hasSetAside;
    }

    /**
     * Waits until the call may begin. Memory for the longest reply is reserved then, and {@link #granted} or
     * {@link #refuse} must follow.
     */
    ReplyMemory.Request await(Runnable mayBegin) {
        return account.replies().await(account.untaken(), alone, mayBegin);
    }

    /** The connection has no other call any more. */
    void alone(ReplyMemory.Request request) {
        account.replies().alone(request);
    }

    /** Cancels a wait. If it is too late for that, the reserved memory is granted, and {@link #refuse} follows. */
    void cancel(ReplyMemory.Request request) {
        var _ = account.replies().cancel(request);
    }

    /** Accepts the memory that was reserved while the call waited. */
    void granted() {
        hasSetAside = true;
    }

    /** Gives back the memory that was reserved while the call waited, because it came too late. */
    void refuse() {
        account.replies().giveBack(account.untaken());
    }

    /** Records the current size of the reply. It must not grow further without another call of this method. */
    void is(ReplyMemory.Size now) {
        boolean givesBack = hasSetAside;
        ReplyMemory.Size before = size;
        if (givesBack || !now.equals(before)) {
            hasSetAside = false;
            size = now;
            account.changed(before, now, givesBack);
        }
    }

    /** The reply was taken, or never will be. */
    void end() {
        is(ReplyMemory.Size.NONE);
    }
}
