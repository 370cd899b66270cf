/**
 * The verbs: what an upper-layer protocol sees of RDMA, whichever provider stands behind it.
 *
 * <p>Connection requests, queue pairs, work requests, completions and memory regions, in the words of RFC 5040 and of
 * the RDMA verbs draft. Nothing here names a wire format, a socket or a thread pool.
 *
 * <p>A program of each side, to copy from, is in docs/verbs.md. In short: a {@link org.warpnfs.iwarp.verbs.Listener} or
 * a {@link org.warpnfs.iwarp.verbs.Connector} brings a {@link org.warpnfs.iwarp.verbs.QueuePair} to its
 * {@link org.warpnfs.iwarp.verbs.QueuePairHandler}, which posts receives and
 * {@link org.warpnfs.iwarp.verbs.WorkRequest}s and hears of each {@link org.warpnfs.iwarp.verbs.Completion}. Queue
 * pairs may share a {@link org.warpnfs.iwarp.verbs.ProtectionDomain}, a
 * {@link org.warpnfs.iwarp.verbs.SharedReceiveQueue} and a {@link org.warpnfs.iwarp.verbs.CompletionQueue}.
 *
 * <h2>Buffers</h2>
 *
 * What is posted belongs to the queue pair until its completion, what is registered may be changed by peers until it is
 * invalid.
 *
 * <h2>Errors</h2>
 *
 * A peer's breach of the protocol ends its own stream, told by
 * {@link org.warpnfs.iwarp.verbs.QueuePairHandler#disconnected}. What goes beyond a limit is refused with
 * {@link org.warpnfs.iwarp.verbs.LimitReachedException}. What the upper layer may never do throws
 * {@link IllegalStateException} or {@link IllegalArgumentException}, and changes nothing.
 *
 * <h2>Threads</h2>
 *
 * A queue pair has one owner thread. Every method of {@link org.warpnfs.iwarp.verbs.QueuePair} except
 * {@link org.warpnfs.iwarp.verbs.QueuePair#execute} is called on it, and every method of
 * {@link org.warpnfs.iwarp.verbs.QueuePairHandler} is called from it.
 */
@NullMarked
package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.NullMarked;
