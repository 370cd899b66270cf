/**
 * The responder: takes calls from queue pairs, pulls their chunks, and sends their replies.
 *
 * <p>This package uses RDMA through {@code iwarp.verbs} only, and the RPC layer above through {@code rpcrdma.message}.
 * All work is done on a connection's owner thread, but replies may be given on any thread.
 */
@NullMarked
package org.warpnfs.rpcrdma.server;

import org.jspecify.annotations.NullMarked;
