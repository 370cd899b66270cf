/**
 * RPC-over-RDMA version 1 (RFC 8166) as a transport of ONC RPC, and the same programs over TCP.
 *
 * <p>{@link org.warpnfs.rpcrdma.RpcRdmaService} and {@link org.warpnfs.rpcrdma.TcpRpcService} are the entry points of a
 * server. Each takes the programs, the threads that run them and a payload pool.
 * {@link org.warpnfs.rpcrdma.RpcRequesters} is the entry point of a client. Only these classes know all the packages
 * below.
 */
@NullMarked
package org.warpnfs.rpcrdma;

import org.jspecify.annotations.NullMarked;
