/**
 * Calls from the requester's side, over any transport: the message to send, the memory offered for the reply, and the
 * result.
 *
 * <p>This package knows no transport headers and no sockets. The requesters of RDMA ({@code client}) and of TCP
 * ({@code tcp}) are built on it.
 */
@NullMarked
package org.warpnfs.rpcrdma.request;

import org.jspecify.annotations.NullMarked;
