/**
 * RPC messages between a transport (RDMA or TCP) and the RPC layer above it.
 *
 * <p>A call arrives as an {@link org.warpnfs.rpcrdma.message.XdrStream}, which presents one unreduced message, wherever
 * its pieces lie. A reply is an {@link org.warpnfs.rpcrdma.message.RpcMessage}, which refers to its payloads instead of
 * containing them. This package knows no transport headers, no sockets and no RPC library.
 */
@NullMarked
package org.warpnfs.rpcrdma.message;

import org.jspecify.annotations.NullMarked;
