/**
 * RPC over UDP (RFC 5531, section 10): a call in a datagram, its reply in another. For small programs such as MOUNT and
 * the portmapper.
 *
 * <p>Knows Netty and {@code rpcrdma.message}; no RDMA, no oncrpc4j, no program.
 */
@NullMarked
package org.warpnfs.rpcrdma.udp;

import org.jspecify.annotations.NullMarked;
