/**
 * RPC messages as they pass between a transport (RDMA or TCP) and the RPC layer above it.
 *
 * <p>A call arrives as an {@link org.warpnfs.rpcrdma.message.XdrStream} that shows one unreduced message, wherever its
 * pieces lie; a reply leaves as an {@link org.warpnfs.rpcrdma.message.RpcMessage} that names its payloads instead of
 * containing them. Knows neither header nor socket, and no RPC library.
 */
@NullMarked
package org.warpnfs.rpcrdma.message;

import org.jspecify.annotations.NullMarked;
