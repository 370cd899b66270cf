/**
 * The verbs: what an upper-layer protocol sees of RDMA, whichever provider stands behind it.
 *
 * <p>Connection requests, queue pairs, work requests, completions and memory regions, in the words of RFC 5040 and of the
 * RDMA verbs draft. Nothing here names a wire format, a socket or a thread pool.
 *
 * <h2>Threads</h2>
 *
 * A queue pair has one owner thread. Every method of {@link org.warpnfs.iwarp.verbs.QueuePair} except {@link
 * org.warpnfs.iwarp.verbs.QueuePair#execute} is called on it, and every method of {@link
 * org.warpnfs.iwarp.verbs.QueuePairHandler} is called from it.
 */
@NullMarked
package org.warpnfs.iwarp.verbs;

import org.jspecify.annotations.NullMarked;
