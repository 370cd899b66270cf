package org.warpnfs.iwarp.verbs;

/**
 * The upper layer of one queue pair. All methods are called on the queue pair's owner thread and must not block,
 * because other queue pairs share the thread. An exception from a method ends the connection as
 * {@link DisconnectReason.Cause#INTERNAL_ERROR}. The remaining events are still delivered.
 */
public interface QueuePairHandler {
    /** The queue pair exists, and the peer cannot have sent it anything yet. Post the first receives here. */
    void created(QueuePair queuePair);

    /** Both directions are open. For a responder, the initiator's first message has arrived. */
    default void established(QueuePair queuePair) {}

    /** One work request or receive ended. May post more work. */
    void completed(QueuePair queuePair, Completion completion);

    /**
     * No further completion is pending. This is the moment to answer several messages at once and to call
     * {@link QueuePair#flush()}.
     */
    default void completionsDrained(QueuePair queuePair) {}

    /**
     * The peer has ended its direction of the stream, between two messages, and our direction is still open (RFC 5041,
     * section 6.2.1). All that the peer sent has completed before. Called once, and not if the stream ends in another
     * way.
     *
     * <p>Nothing more arrives. So receives, RDMA Reads and atomic operations are flushed, both those outstanding and
     * those posted from now on. Work that is fenced against a flushed request is flushed too, together with all work
     * posted behind it. All other posted work, and the responses to the peer's requests, are still sent. More such work
     * may be posted, until {@link QueuePair#disconnect} ends our direction as well. If the peer does not take it, the
     * connection is closed when the close timeout has passed.
     *
     * <p>The default implementation disconnects, which sends the posted work first. An upper layer with nothing more to
     * send keeps it.
     */
    default void halfClosed(QueuePair queuePair) {
        queuePair.disconnect();
    }

    /**
     * Whether the peer waits for nothing, so that the connection may be closed to make room for another. It is called
     * often and should be quick. Posted work that is not complete need not be considered here.
     *
     * <p>An upper layer that answers messages later than within {@link #completed} returns false until it has answered.
     */
    default boolean idle(QueuePair queuePair) {
        return true;
    }

    /**
     * The connection has ended or was never established. This is the last call. Every outstanding work request and
     * receive has completed before it, and every memory region is invalid.
     */
    void disconnected(QueuePair queuePair, DisconnectReason reason);
}
