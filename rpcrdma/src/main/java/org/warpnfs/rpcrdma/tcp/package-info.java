/**
 * The same calls over TCP with record marking (RFC 5531, section 11).
 *
 * <p>The only package that knows Netty. Sees the RPC layer through {@code rpcrdma.message}, as the RDMA responder does.
 */
@NullMarked
package org.warpnfs.rpcrdma.tcp;

import org.jspecify.annotations.NullMarked;
