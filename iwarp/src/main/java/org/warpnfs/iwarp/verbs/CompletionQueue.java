package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Holds the completions of one or more queue pairs ({@link ConnectOptions#completingTo}) for polling. They go here
 * instead of to {@link QueuePairHandler#completed}.
 *
 * <h2>Operation</h2>
 *
 * Call {@link #poll} until it returns null, then {@link #arm}. If arm returns false, poll again. Otherwise the
 * notification that the queue was created with runs once, at the next completion of the armed kind. It runs on the
 * owner thread of a queue pair and must not block.
 *
 * <p>All that was placed before a completion is visible to the thread that polls it. Work is still posted on the owner
 * thread of the queue pair: see {@link QueuePair#execute}.
 *
 * <h2>Buffers</h2>
 *
 * The buffers of a completion belong to the thread that polled it. All completions of a queue pair are in the queue
 * before its {@link QueuePairHandler#disconnected} is called.
 *
 * <h2>Errors</h2>
 *
 * No completion is ever lost. Each posted request and receive reserves an entry in advance, and posting throws
 * {@link LimitReachedException} if none is free. A message that would take a receive of a {@link SharedReceiveQueue}
 * when no entry is free ends its stream.
 *
 * <p>Safe for any thread.
 */
public interface CompletionQueue extends AutoCloseable {
    /** A completion and its queue pair. */
    record Entry(QueuePair queuePair, Completion completion) {
        /** Whether the completion is of the kind {@link Event#SOLICITED}. */
        public boolean solicited() {
            return completion.status() != CompletionStatus.SUCCESS
                    || (completion instanceof Completion.Received received && received.solicitedEvent())
                    || (completion instanceof Completion.ReceivedImmediate immediate && immediate.solicitedEvent());
        }
    }

    /** The kinds of completion that a notification may wait for. */
    enum Event {
        /** Any completion. */
        NEXT,
        /**
         * A message or Immediate Data sent with Solicited Event (RFC 5040, section 4.7, RFC 7306, section 6), or any
         * completion without success, such as those after a Terminate or the end of a stream.
         */
        SOLICITED
    }

    /** Removes and returns the oldest completion; null if there is none. */
    @Nullable
    Entry poll();

    /** The number of completions to be polled. */
    int size();

    /**
     * Asks for one notification. If the queue is armed for both kinds, the next completion of any kind triggers it.
     *
     * @return false, without arming, if a completion of that kind is in the queue already
     */
    boolean arm(Event event);

    /**
     * Closes the queue.
     *
     * @throws IllegalStateException if a queue pair that completes to it has not ended
     */
    @Override
    void close();
}
