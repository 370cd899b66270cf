package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import java.util.Set;

/**
 * One end of an RDMA stream: a send queue, a receive queue and the memory registered for its peer.
 *
 * <h2>Operation</h2>
 *
 * Receives are posted ahead of the messages that fill them, one message each, in order. Work requests are queued by
 * {@link #post} and leave together at {@link #flush()}. Before the connection is established work waits; after it has
 * ended, work and receives complete at once as {@link CompletionStatus#FLUSHED}.
 *
 * <h2>Buffers</h2>
 *
 * A buffer that was posted belongs to the queue pair until its completion.
 *
 * <h2>Errors</h2>
 *
 * A peer that breaks the protocol is sent a Terminate, and the handler hears {@link QueuePairHandler#disconnected}. A
 * message that finds no posted receive is such a breach (RFC 5041, section 7.1), so an upper layer grants its peer no
 * more than it has posted. Calling from another thread, or posting more than the configured queue depth, throws
 * {@link IllegalStateException}.
 */
public interface QueuePair {
    /** What was agreed on; before {@link QueuePairHandler#established} this throws {@link IllegalStateException}. */
    ConnectionParameters parameters();

    /** True from {@link QueuePairHandler#established} until the stream ends in either direction. */
    boolean connected();

    /**
     * Against what else the peer's atomic operations are atomic here; {@link AtomicityScope#NONE} if they are switched
     * off.
     */
    AtomicityScope atomicity();

    /**
     * Posts a buffer for one incoming message.
     *
     * @param buffer filled from its position; its remaining bytes bound the message
     * @throws LimitReachedException if the queue is full, or the limit of receives or their memory is reached, here or
     *     for all together
     * @throws IllegalArgumentException if the buffer is read-only
     * @throws IllegalStateException if the receives of this queue pair come from a {@link SharedReceiveQueue}
     */
    void postReceive(long workRequestId, ByteBuffer buffer);

    /**
     * Queues work. Nothing need leave before {@link #flush()}.
     *
     * @throws IllegalStateException if the queue is full, if it is a Read or an atomic operation and the ORD is 0, or
     *     if it belongs to an {@linkplain ConnectOptions#extensions() extension} that is switched off
     * @throws IllegalArgumentException if it names a region that is not this queue pair's or may not be used so
     */
    void post(WorkRequest request);

    /** Sends what was queued, as far as the stream takes it; the rest follows by itself. */
    void flush();

    /**
     * Registers memory for this one stream, from position to limit of {@code memory}. When the connection has ended the
     * region is not {@linkplain MemoryRegion#valid() valid}, and work that names it is flushed.
     *
     * @throws LimitReachedException if the limit of regions or of registered memory is reached, here or for all
     *     together
     * @throws IllegalArgumentException if {@code rights} would write memory that is read-only
     */
    MemoryRegion register(ByteBuffer memory, Set<AccessRight> rights);

    /**
     * Runs a task on the owner thread, in order of submission; from any thread, also after the connection has ended.
     * What it throws ends the connection.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the whole transport is closed
     */
    void execute(Runnable task);

    /** Ends the stream once everything posted has left. Further posts are flushed. */
    void disconnect();

    /**
     * Ends the stream: of what was posted nothing more leaves, and memory regions are invalid at once; outstanding work
     * is flushed when the socket has let go of it. The peer is sent a Terminate (RFC 5040, section 6.2), or the
     * connection closed if it takes nothing.
     */
    void abort(String reason);
}
