/**
 * The responder: takes calls from queue pairs, pulls their chunks, and sends their replies.
 *
 * <p>Sees RDMA through {@code iwarp.verbs} alone, and the RPC layer above through {@code rpcrdma.message}. All work is
 * done on a connection's owner thread; replies may be given on any.
 */
@NullMarked
package org.warpnfs.rpcrdma.server;

import org.jspecify.annotations.NullMarked;
