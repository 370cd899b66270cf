/**
 * RPC over UDP (RFC 5531, section 10), for small programs such as MOUNT and the portmapper. Each call and each reply is
 * one datagram.
 *
 * <p>This package uses Netty and {@code rpcrdma.message}. It knows no RDMA, no oncrpc4j and no programs.
 */
@NullMarked
package org.warpnfs.rpcrdma.udp;

import org.jspecify.annotations.NullMarked;
