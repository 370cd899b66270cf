package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Completions of one or more queue pairs ({@link ConnectOptions#completingTo}), to be polled; in place of
 * {@link QueuePairHandler#completed}.
 *
 * <h2>Operation</h2>
 *
 * {@link #poll} until it gives nothing, {@link #arm}, and poll again if arm says so; then the notification that the
 * queue was made with comes, once, with the next completion of the kind that was armed for. It comes on the owner
 * thread of a queue pair and must not block.
 *
 * <p>All that was placed for a completion is visible to the thread that polls it. Posting more work is still for the
 * owner thread of the queue pair: see {@link QueuePair#execute}.
 *
 * <h2>Buffers</h2>
 *
 * Those of a completion belong to whoever polls it. All completions of a queue pair are here before its
 * {@link QueuePairHandler#disconnected}.
 *
 * <h2>Errors</h2>
 *
 * No completion is ever lost: each request and receive that is posted takes its place here in advance, and posting
 * throws {@link LimitReachedException} when none is left. A message that would take a receive of a
 * {@link SharedReceiveQueue} when none is left ends its stream.
 *
 * <p>Safe for any thread.
 */
public interface CompletionQueue extends AutoCloseable {
    /** A completion, and whose it is. */
    record Entry(QueuePair queuePair, Completion completion) {
        /** Whether it is of the kind that {@link Event#SOLICITED} waits for. */
        public boolean solicited() {
            return completion.status() != CompletionStatus.SUCCESS
                    || (completion instanceof Completion.Received received && received.solicitedEvent())
                    || (completion instanceof Completion.ReceivedImmediate immediate && immediate.solicitedEvent());
        }
    }

    /** What to be notified of. */
    enum Event {
        /** Any completion. */
        NEXT,
        /**
         * A message or Immediate Data sent with Solicited Event (RFC 5040, section 4.7, RFC 7306, section 6), or any
         * completion without success, as those are that a Terminate or the end of a stream leaves.
         */
        SOLICITED
    }

    /** The oldest completion; null if there is none. */
    @Nullable
    Entry poll();

    /** Completions to be polled. */
    int size();

    /**
     * Asks for one notification. Armed for both kinds, it is for the next completion of any.
     *
     * @return false, and nothing is armed, if a completion of that kind is here already
     */
    boolean arm(Event event);

    /**
     * Closes it.
     *
     * @throws IllegalStateException if a queue pair that completes to it has not ended
     */
    @Override
    void close();
}
