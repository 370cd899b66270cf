package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;

/**
 * Receives for the messages of several queue pairs ({@link ConnectOptions#receivingFrom}). The next message that begins
 * on any of them takes the next receive.
 *
 * <h2>Operation</h2>
 *
 * Many connections that are seldom busy at the same time need fewer buffers this way. The receives that one peer can
 * take are limited. A receive counts as taken by its queue pair until a receive with the same id is posted again, or
 * until that queue pair ends. So an id stands for a buffer of the upper layer, and posting it again tells that the
 * message has been processed.
 *
 * <h2>Buffers</h2>
 *
 * A posted buffer belongs to the queue until its {@link Completion.Received}, which is delivered on the queue pair that
 * took it. When a queue pair ends, a receive that one of its messages had begun to fill is flushed. All other receives
 * stay in the queue.
 *
 * <h2>Errors</h2>
 *
 * A message that finds no receive, or whose queue pair has taken its share, ends its own stream (RFC 5041, section 7.1)
 * and is counted. Other streams are not affected.
 *
 * <p>Safe for any thread.
 */
public interface SharedReceiveQueue extends AutoCloseable {
    /**
     * Posts a buffer for one message of any of the queue pairs.
     *
     * @param workRequestId an id that no other receive in the queue has
     * @param buffer filled from its position; its remaining bytes are the longest message
     * @throws LimitReachedException if the queue is full, or the limit of receives or their memory is reached for all
     *     together
     * @throws IllegalArgumentException if a receive of that id is in the queue, or the buffer is read-only
     * @throws IllegalStateException if the queue is closed
     */
    void postReceive(long workRequestId, ByteBuffer buffer);

    /** The number of receives that wait for a message. */
    int size();

    /**
     * Asks for one call of {@code reached} when fewer than {@code limit} receives wait. If fewer wait already, the call
     * is made now. Otherwise it is made on the owner thread of the queue pair whose message took the receive. A later
     * request replaces an earlier one that is still pending.
     */
    void armLimit(int limit, Runnable reached);

    /** Drops the waiting receives. Messages of its queue pairs find no receive from now on. */
    @Override
    void close();
}
