package org.warpnfs.iwarp.verbs;

import java.nio.ByteBuffer;
import java.util.Set;

/**
 * One end of an RDMA stream: a send queue, a receive queue and the memory registered for its peer.
 *
 * <h2>Operation</h2>
 *
 * Receives are posted before the messages that fill them. Each receive takes one message, in order. {@link #post}
 * queues work requests, and {@link #flush()} sends them together. Work posted before the connection is established
 * waits. Work and receives posted after its end complete at once as {@link CompletionStatus#FLUSHED}.
 *
 * <h2>Buffers</h2>
 *
 * A buffer that was posted belongs to the queue pair until its completion.
 *
 * <h2>Errors</h2>
 *
 * A peer that breaks the protocol is sent a Terminate, and {@link QueuePairHandler#disconnected} is called. A message
 * without a posted receive is such a violation (RFC 5041, section 7.1), so an upper layer must not let its peer send
 * more messages than it has posted receives. Calling from another thread, or posting more than the configured queue
 * depth, throws {@link IllegalStateException}.
 */
public interface QueuePair {
    /**
     * The parameters that were agreed on. Throws {@link IllegalStateException} before
     * {@link QueuePairHandler#established}.
     */
    ConnectionParameters parameters();

    /** True from {@link QueuePairHandler#established} until the stream ends in either direction. */
    boolean connected();

    /**
     * Whether {@link WorkRequest.FileWrite} may be posted: the socket can send from files, and no FPDU has markers.
     * With CRCs the bytes are read piece by piece when the socket has room. False before the connection is established.
     */
    default boolean takesFileRanges() {
        return false;
    }

    /**
     * The accesses against which the peer's atomic operations are atomic here; {@link AtomicityScope#NONE} if atomic
     * operations are switched off.
     */
    AtomicityScope atomicity();

    /**
     * Posts a buffer for one incoming message.
     *
     * @param buffer filled from its position; its remaining bytes are the longest message
     * @throws LimitReachedException if the queue is full, or the limit of receives or their memory is reached, for this
     *     queue pair or for all together
     * @throws IllegalArgumentException if the buffer is read-only
     * @throws IllegalStateException if the receives of this queue pair come from a {@link SharedReceiveQueue}
     */
    void postReceive(long workRequestId, ByteBuffer buffer);

    /**
     * Queues work. It may stay unsent until {@link #flush()}.
     *
     * @throws IllegalStateException if the queue is full, if the request is a Read or an atomic operation and the ORD
     *     is 0, or if it belongs to an {@linkplain ConnectOptions#extensions() extension} that is switched off
     * @throws IllegalArgumentException if the request names a region that is not valid on this queue pair or lacks the
     *     access right
     */
    void post(WorkRequest request);

    /** Sends the queued work, as much as the stream takes now. The rest follows without another call. */
    void flush();

    /**
     * Registers memory for this one stream, from position to limit of {@code memory}. If the connection has ended, the
     * returned region is not {@linkplain MemoryRegion#valid() valid}, and work that names it is flushed.
     *
     * @throws LimitReachedException if the limit of regions or of registered memory is reached, for this queue pair or
     *     for all together
     * @throws IllegalArgumentException if {@code rights} permit writing and the memory is read-only
     */
    MemoryRegion register(ByteBuffer memory, Set<AccessRight> rights);

    /**
     * Runs a task on the owner thread, in order of submission. May be called from any thread, also after the connection
     * has ended. An exception from the task ends the connection.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the whole transport is closed
     */
    void execute(Runnable task);

    /** Ends the stream after all posted work has been sent. Work posted later is flushed. */
    void disconnect();

    /**
     * Ends the stream at once. No more of the posted work is sent, and memory regions become invalid immediately.
     * Outstanding work is flushed when the socket has released its buffers. The peer is sent a Terminate (RFC 5040,
     * section 6.2). If it does not take it, the connection is closed.
     */
    void abort(String reason);
}
