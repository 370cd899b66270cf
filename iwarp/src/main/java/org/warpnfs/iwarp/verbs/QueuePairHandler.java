package org.warpnfs.iwarp.verbs;

/**
 * The upper layer of one queue pair. Always called on its owner thread, which it must not block: other queue pairs live
 * there too. What it throws ends its connection as {@link DisconnectReason.Cause#INTERNAL_ERROR}; all that is still to
 * be told is told.
 */
public interface QueuePairHandler {
    /** The queue pair exists and nothing has been exchanged that could reach it: post the first receives here. */
    void created(QueuePair queuePair);

    /** Both directions are open. For a responder this is when the initiator's first message has arrived. */
    default void established(QueuePair queuePair) {}

    /** One work request or receive ended. May post more work. */
    void completed(QueuePair queuePair, Completion completion);

    /**
     * No further completion is at hand: the moment to answer several at once, ending with {@link QueuePair#flush()}.
     */
    default void completionsDrained(QueuePair queuePair) {}

    /**
     * The peer has ended its direction of the stream, between two messages, and ours is open still (RFC 5041, section
     * 6.2.1). All that it sent has completed before this. Told once, and not if the stream ends in another way.
     *
     * <p>Receives, RDMA Reads and atomic operations that are outstanding, or posted from now on, are flushed, since
     * nothing arrives any more. So is work fenced against a request that was flushed, and what is posted behind it. All
     * else that was posted, and the answers to what the peer has asked for, leave as ever, and so may more work, until
     * {@link QueuePair#disconnect} ends our direction as well. A peer that takes nothing of it loses the connection
     * when the time to close is over.
     *
     * <p>Whoever has nothing more to say leaves this as it is: it disconnects, which sends what was posted.
     */
    default void halfClosed(QueuePair queuePair) {
        queuePair.disconnect();
    }

    /**
     * Whether nothing is under way that the peer waits for, so that the connection may be ended if others want to
     * connect and there is no room for them. Asked often, so it is to be quick. Work that was posted and is not
     * complete need not be considered here.
     *
     * <p>Whoever answers messages later than from within {@link #completed} says false meanwhile.
     */
    default boolean idle(QueuePair queuePair) {
        return true;
    }

    /**
     * The connection has ended or was never made. The last call: every outstanding work request and receive has
     * completed before it, and every memory region is invalid.
     */
    void disconnected(QueuePair queuePair, DisconnectReason reason);
}
