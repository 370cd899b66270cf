package org.warpnfs.rpcrdma.server;

import java.time.Duration;

/**
 * How long a requester may delay each action that memory of ours waits for. Bytes that it must send or take have a
 * least rate, so that a message now and then does not count as progress.
 *
 * @param stallLimit how long RDMA Reads may be unanswered, or replies not taken, before the rate counts. 30 seconds: a
 *     rerouted network works again by then, and Linux repeats a call after 60
 * @param leastBytesPerSecond the least rate from then on, of all connections of one client that owe bytes, together
 *     ({@link org.warpnfs.limits.LineSharers}). 32 KiB: half of what a line of 512 kbit/s carries; the longest READ
 *     takes 32 seconds at this rate
 * @param firstMessage from the creation of the queue pair to the first message. 30 seconds: Linux connects when it has
 *     a call to make
 * @param backwardReply how long a call of ours may remain unanswered (RFC 8167). 30 seconds: a third of a lease
 * @param whileDraining replaces {@code stallLimit} once the responder drains. 2 seconds: peers that are gone must not
 *     use up the time that others need for their last replies
 * @param idleBeforeEviction how long a connection must be idle before a new connection may replace it. 60 seconds:
 *     Linux renews its lease more often, so that a mount in use is seldom affected; if it is, Linux reconnects by
 *     itself
 */
public record PeerDeadlines(
        Duration stallLimit,
        long leastBytesPerSecond,
        Duration firstMessage,
        Duration backwardReply,
        Duration whileDraining,
        Duration idleBeforeEviction) {
    /** The default deadlines. The parameters above give their reasons. */
    public static final PeerDeadlines DEFAULT = new PeerDeadlines(
            Duration.ofSeconds(30),
            32 << 10,
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(2),
            Duration.ofSeconds(60));

    public PeerDeadlines {
        if (leastBytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "a rate of " + leastBytesPerSecond + " bytes each second is below the minimum of 1");
        }
    }
}
