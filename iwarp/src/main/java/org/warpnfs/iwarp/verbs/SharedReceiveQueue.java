package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;

/**
 * Receives for the messages of several queue pairs ({@link ConnectOptions#receivingFrom}): the next message that begins
 * on any of them takes the next receive.
 *
 * <h2>Operation</h2>
 *
 * Many connections that are seldom busy at once need fewer buffers so. What one peer can take is bounded: a receive
 * counts as taken by its queue pair until a receive with the same id is posted again, or that queue pair ends. So an id
 * stands for a place in the upper layer's buffers, and posting it again says that the message has been dealt with.
 *
 * <h2>Buffers</h2>
 *
 * A posted buffer belongs to the queue until its {@link Completion.Received}, which comes on the queue pair that took
 * it. When a queue pair ends, only a receive that a message of its had begun to fill is flushed; all others stay.
 *
 * <h2>Errors</h2>
 *
 * A message that finds no receive, or whose queue pair has taken its share, ends its own stream (RFC 5041, section 7.1)
 * and is counted; no other stream notices.
 *
 * <p>Safe for any thread.
 */
public interface SharedReceiveQueue extends AutoCloseable {
    /**
     * Posts a buffer for one message, of whichever queue pair.
     *
     * @param workRequestId not that of another receive that waits here
     * @param buffer filled from its position; its remaining bytes bound the message
     * @throws LimitReachedException if the queue is full, or the limit of receives or their memory is reached for all
     *     together
     * @throws IllegalArgumentException if a receive of that id waits here, or the buffer is read-only
     * @throws IllegalStateException if the queue is closed
     */
    void postReceive(long workRequestId, ByteBuffer buffer);

    /** Receives that wait for a message. */
    int size();

    /**
     * Asks to be told once when fewer than {@code limit} receives wait: now, if it is so already, else on the owner
     * thread of the queue pair whose message took the one that made it so. A later call replaces an earlier one that
     * was not told yet.
     */
    void armLimit(int limit, Runnable reached);

    /** Drops what waits. Messages of its queue pairs find no receive any more. */
    @Override
    void close();
}
