/**
 * Chunks: which bytes of an RPC message travel where (RFC 8166, sections 3.4 and 3.5).
 *
 * <p>Arithmetic alone. A {@link org.warpnfs.rpcrdma.chunk.CallLayout} says what has to be pulled before a call is
 * complete and then puts it together; a {@link org.warpnfs.rpcrdma.chunk.ReplyPlan} says what has to be written where
 * before the reply is sent. Neither posts any work.
 */
@NullMarked
package org.warpnfs.rpcrdma.chunk;

import org.jspecify.annotations.NullMarked;
