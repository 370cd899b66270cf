package org.warpnfs.iwarp.verbs;

/** The upper layer of one queue pair. Always called on its owner thread. */
public interface QueuePairHandler {
    /** The queue pair exists and nothing has been exchanged that could reach it: post the first receives here. */
    void created(QueuePair queuePair);

    /** Both directions are open. For a responder this is when the initiator's first message has arrived. */
    default void established(QueuePair queuePair) {}

    /** One work request or receive ended. May post more work. */
    void completed(QueuePair queuePair, Completion completion);

    /** No further completion is at hand: the moment to answer several at once, ending with {@link QueuePair#flush()}. */
    default void completionsDrained(QueuePair queuePair) {}

    /**
     * The connection has ended or was never made. The last call: every outstanding work request and receive has completed
     * before it, and every memory region is invalid.
     */
    void disconnected(QueuePair queuePair, DisconnectReason reason);
}
