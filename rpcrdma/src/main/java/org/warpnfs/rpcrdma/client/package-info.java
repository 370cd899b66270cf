/**
 * The requester: makes calls over a queue pair, offering chunks for what does not fit inline.
 *
 * <p>Sees RDMA through {@code iwarp.verbs} alone. Messages are XDR; what is in them is the caller's business.
 */
@NullMarked
package org.warpnfs.rpcrdma.client;

import org.jspecify.annotations.NullMarked;
