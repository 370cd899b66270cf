/**
 * The verbs: the API through which an upper-layer protocol uses RDMA, independent of the provider.
 *
 * <p>It consists of connection requests, queue pairs, work requests, completions and memory regions, named as in RFC
 * 5040 and the RDMA verbs draft. It names no wire format, socket or thread pool.
 *
 * <p>docs/verbs.md has a sample program for each side. In short: a {@link org.warpnfs.iwarp.verbs.Listener} or a
 * {@link org.warpnfs.iwarp.verbs.Connector} creates a {@link org.warpnfs.iwarp.verbs.QueuePair} and passes it to its
 * {@link org.warpnfs.iwarp.verbs.QueuePairHandler}. The handler posts receives and
 * {@link org.warpnfs.iwarp.verbs.WorkRequest}s, and is called with each {@link org.warpnfs.iwarp.verbs.Completion}.
 * Queue pairs may share a {@link org.warpnfs.iwarp.verbs.ProtectionDomain}, a
 * {@link org.warpnfs.iwarp.verbs.SharedReceiveQueue} and a {@link org.warpnfs.iwarp.verbs.CompletionQueue}.
 *
 * <h2>Buffers</h2>
 *
 * A posted buffer belongs to the queue pair until its completion. Peers may change registered memory, if its rights
 * permit, until it is invalid.
 *
 * <h2>Errors</h2>
 *
 * A peer that breaks the protocol ends its own stream, which
 * {@link org.warpnfs.iwarp.verbs.QueuePairHandler#disconnected} reports. A request beyond a limit is refused with
 * {@link org.warpnfs.iwarp.verbs.LimitReachedException}. Misuse by the upper layer throws {@link IllegalStateException}
 * or {@link IllegalArgumentException}, and changes nothing.
 *
 * <h2>Threads</h2>
 *
 * A queue pair has one owner thread. Every method of {@link org.warpnfs.iwarp.verbs.QueuePair} except
 * {@link org.warpnfs.iwarp.verbs.QueuePair#execute} must be called on it, and every method of
 * {@link org.warpnfs.iwarp.verbs.QueuePairHandler} is called on it.
 */
@NullMarked
package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.NullMarked;
