/**
 * Chunks: how the bytes of an RPC message are distributed over them (RFC 8166, sections 3.4 and 3.5).
 *
 * <p>This package only computes and posts no work. A {@link org.warpnfs.rpcrdma.chunk.CallLayout} lists what must be
 * pulled before a call is complete, and then assembles the call. A {@link org.warpnfs.rpcrdma.chunk.ReplyPlan} lists
 * what must be written before the reply is sent.
 */
@NullMarked
package org.warpnfs.rpcrdma.chunk;

import org.jspecify.annotations.NullMarked;
