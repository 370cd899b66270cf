package org.warpnfs.rpcrdma.tcp;

/**
 * What one call has of the {@link ReplyMemory}, from before it begins until its reply was taken.
 *
 * <p>For one thread at a time: the one that has the call.
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
     * Asks whether the call may begin.
     *
     * @param mayBeLong whether its reply may be of the longest
     */
    boolean mayBegin(boolean mayBeLong) {
        if (!mayBeLong) {
            return account.replies().mayBegin(account.untaken(), alone);
        }
        hasSetAside = account.replies().setAside(account.untaken(), alone);
        return hasSetAside;
    }

    /** Waits until it may; then the longest reply was set aside, and {@link #granted} or {@link #refuse} follows. */
    ReplyMemory.Request await(Runnable mayBegin) {
        return account.replies().await(account.untaken(), alone, mayBegin);
    }

    /** Its connection has nothing else any more. */
    void alone(ReplyMemory.Request request) {
        account.replies().alone(request);
    }

    /** Gives up waiting. If it is too late for that, what was set aside comes, and {@link #refuse} follows. */
    void cancel(ReplyMemory.Request request) {
        var _ = account.replies().cancel(request);
    }

    /** What was set aside while it waited is its own. */
    void granted() {
        hasSetAside = true;
    }

    /** What was set aside while it waited came too late. */
    void refuse() {
        account.replies().giveBack(account.untaken());
    }

    /** There is so much of the reply now, and there will be no more while nobody sees. */
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
