/**
 * The RPC-over-RDMA version 1 header, one class per structure on the wire (RFC 8166, section 4, RFC 8797).
 *
 * <p>This package converts bytes to records and back. It knows no connections, no registered memory and no RPC. The
 * accessors of a parsed header do not fail. Every record that was constructed can be encoded.
 */
@NullMarked
package org.warpnfs.rpcrdma.wire;

import org.jspecify.annotations.NullMarked;
