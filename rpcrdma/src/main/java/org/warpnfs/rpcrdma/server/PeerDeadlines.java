package org.warpnfs.rpcrdma.server;

import java.time.Duration;

/**
 * How long a requester may leave each thing undone that memory of ours waits for. What it gives and takes in bytes has
 * to go at a least rate: a message now and then is no progress.
 *
 * @param stallLimit how long RDMA Reads may be unanswered, or replies not taken, before the rate counts. 30 seconds: a
 *     network that is rerouted is back by then, and Linux sends a call again after 60
 * @param leastBytesPerSecond the rate from then on, of all connections of one client that owe bytes
 *     ({@link org.warpnfs.limits.LineSharers}). 32 KiB: half of what a line of 512 kbit/s carries; the longest READ
 *     takes 32 seconds at it
 * @param firstMessage from the making of the queue pair to the first message. 30 seconds: Linux connects when it has a
 *     call to make
 * @param backwardReply how long a call of ours may be unanswered (RFC 8167). 30 seconds: a third of a lease
 * @param whileDraining replaces {@code stallLimit} once the responder drains. 2 seconds: who is gone shall not use up
 *     the time that others need for their last replies
 * @param idleBeforeEviction how long a connection has to be idle before a newcomer may take its place. 60 seconds:
 *     Linux renews its lease more often, so that a mount in use is seldom hit, and connects again by itself if it is
 */
public record PeerDeadlines(
        Duration stallLimit,
        long leastBytesPerSecond,
        Duration firstMessage,
        Duration backwardReply,
        Duration whileDraining,
        Duration idleBeforeEviction) {
    /** What the parameters give reasons for. */
    public static final PeerDeadlines DEFAULT = new PeerDeadlines(
            Duration.ofSeconds(30),
            32 << 10,
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(2),
            Duration.ofSeconds(60));

    public PeerDeadlines {
        if (leastBytesPerSecond < 1) {
            throw new IllegalArgumentException("a rate of " + leastBytesPerSecond + " bytes each second is none");
        }
    }
}
