/**
 * RPC over TCP with record marking (RFC 5531, section 11).
 *
 * <p>This package uses Netty, and the RPC layer above through {@code rpcrdma.message}, as the RDMA responder does.
 */
@NullMarked
package org.warpnfs.rpcrdma.tcp;

import org.jspecify.annotations.NullMarked;
