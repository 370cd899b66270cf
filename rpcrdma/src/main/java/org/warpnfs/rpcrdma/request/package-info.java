/**
 * Calls as their maker sees them, over whatever transport: what to send, what to offer for the reply, what became of
 * it.
 *
 * <p>Knows neither header nor socket. The requesters of RDMA ({@code client}) and of TCP ({@code tcp}) are made of it.
 */
@NullMarked
package org.warpnfs.rpcrdma.request;

import org.jspecify.annotations.NullMarked;
